import { existsSync } from 'node:fs';
import { type KeptKey, keep, keptFile, readKept } from '../../cache/kept-results.js';
import { exampleSplitter } from '../../calibration/split-examples.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import { ownBuild } from '../../files/own-files.js';

import type { DatasetScores } from '../join/dataset-scores.js';
import type { DatasetCalibration } from './calibrate-dataset.js';
import type { DatasetInput } from './queue-targets.js';
import type { DatasetSplits } from './splits-json.js';
import { valueHash } from './value-hash.js';

/** Where calibrations are kept, and what may be told of it. */
export interface KeptIn {
  readonly cache: string;
  /** null: nothing is kept and nothing is taken. */
  readonly build?: string | null;
  readonly onLog?: ((level: 'info', message: string) => void) | undefined;
}

/** More examples than this are not kept: hashing and writing them would take a share of the time that it saves. */
const MOST_EXAMPLES = 100_000;

/**
 * Calibrations of earlier runs. That of a data set is a function of its input and the code alone, and is taken in place
 * of a new one where both are the same to the bit: the build by the hash of its sources, Node by its version, the input
 * by the hash of every score, label, id and setting. Sources that run without a build keep nothing, nor do methods of
 * one's own, whose code has no hash here.
 */
export class KeptCalibrations {
  readonly #build: string | null;
  readonly #writes: Promise<void>[] = [];
  readonly #keys = new WeakMap<DatasetInput, KeptKey | null>();

  constructor(private readonly kept: KeptIn) {
    const { build = ownBuild() } = kept;
    this.#build = build && `${build} ${process.version} ${process.arch}`;
  }

  /** Whether each of the data sets may be found; only `find` knows. */
  mayHave(suite: SuitePlan, datasets: readonly string[]): boolean {
    if (this.#build === null || suite.ownMethods.length > 0) return false;
    return datasets.every((dataset) => existsSync(this.#file(suite, dataset)));
  }

  /** The calibration that an earlier run made of the same input; null where there is none. */
  async find(input: DatasetInput): Promise<DatasetCalibration | null> {
    const { suite, scores } = input;
    const file = this.#file(suite, scores.dataset);
    const key = existsSync(file) ? this.#keyOf(input) : null;
    const text = key === null ? null : await readKept(file, key);
    if (text === null) return null;
    this.kept.onLog?.('info', `${scores.dataset}: calibrated before, from the same scores and settings (${file})`);
    return { ...(JSON.parse(text) as Omit<DatasetCalibration, 'splits'>), splits: splitsOf(suite, scores) };
  }

  /** Makes the key of an input, which hashes all of it, when there is time for it. */
  prepare(input: DatasetInput): void {
    this.#keyOf(input);
  }

  /** Keeps a calibration for later runs, while this one goes on. */
  keep(input: DatasetInput, { splits: _, ...calibration }: DatasetCalibration): void {
    const key = this.#keyOf(input);
    if (key === null) return;
    const file = this.#file(input.suite, input.scores.dataset);
    this.#writes.push(keep(file, key, JSON.stringify(calibration)));
  }

  /** Waits for what is being written. */
  async settle(): Promise<void> {
    await Promise.all(this.#writes);
  }

  #file({ name }: SuitePlan, dataset: string): string {
    return keptFile(this.kept.cache, `${name}--${dataset}`);
  }

  #keyOf(input: DatasetInput): KeptKey | null {
    const known = this.#keys.get(input);
    const key = known === undefined ? this.#makeKey(input) : known;
    this.#keys.set(input, key);
    return key;
  }

  #makeKey({ suite, scores, asked }: DatasetInput): KeptKey | null {
    const { methodsOf: _, needs: __, targetsOf, combinationSizes, ownMethods, ...plan } = suite;
    if (this.#build === null || ownMethods.length > 0 || scores.ids.length > MOST_EXAMPLES) return null;
    const { dataset } = scores;
    const inputs = valueHash({
      plan,
      targets: targetsOf(dataset),
      combinationSizes: combinationSizes(dataset),
      scores,
      asked: asked.map(({ way, targets }) => ({ way: way.name, targets })),
    });
    return { build: this.#build, inputs };
  }
}

/** Kept as indexes they would be longer than the rest; they are drawn again in no time. */
function splitsOf({ seeds, calibrationFraction }: SuitePlan, scores: DatasetScores): DatasetSplits {
  const { dataset, ids, contentHashes } = scores;
  const splitter = exampleSplitter(ids, contentHashes);
  return { dataset, ids, bySeed: seeds.map((seed) => ({ seed, ...splitter(seed, calibrationFraction) })) };
}
