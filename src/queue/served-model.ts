import type { ModelSpec } from '../config/models-schema.js';
import type { GgufPlace } from '../contract/model-place.js';
import type { Runner } from '../contract/runner.js';

/** A model that this machine has, ready to be scored. */
export interface ServedModel {
  readonly model: ModelSpec;
  readonly place: GgufPlace;
  /** What a cache here would keep its scores under. */
  readonly identity: Readonly<Record<string, unknown>>;
  /** Who does the work: the child processes of this machine. */
  readonly runner: Runner;
  /** Rejects when the files are no longer what `identity` says. */
  unchanged(): Promise<void>;
}
