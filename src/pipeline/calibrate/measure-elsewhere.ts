import type { Binning } from '../../metrics/bins/binning.js';
import { sharedRows } from '../../numeric/ragged-rows.js';
import { Scratch } from '../../numeric/scratch.js';
import { sharedArray } from '../../numeric/shared-array.js';
import { type AnsweredModel, type MeasuredModel, type MeasuredModels, measureModel } from '../collect/measure-model.js';

/** Models of a data set for one thread to measure. */
export interface ModelsShare {
  readonly models: ReadonlyArray<AnsweredModel & { readonly model: string }>;
  readonly binning: Binning;
}

export type MeasuredShare = ReadonlyArray<readonly [string, MeasuredModel]>;

/** A thread that takes shares. */
export interface MeasureHelper {
  /** null: it could not. */
  measure(share: ModelsShare): Promise<MeasuredShare | null>;
}

/** Examples from which models are measured elsewhere; below, this thread has the time while others are at splits. */
const LEAST_EXAMPLES = 100_000;

/**
 * Has all models of a large data set measured by helping threads, which else would wait until a target is prepared.
 * undefined: it is this thread's to do. What a thread could not do is not among what was measured, and done later.
 */
export function measureElsewhere(
  { scores, binning, measured }: MeasuredModels,
  helpers: readonly MeasureHelper[] = [],
): Promise<void> | undefined {
  if (helpers.length === 0 || scores.ids.length < LEAST_EXAMPLES) return undefined;
  const labels = sharedArray(scores.labels);
  const places = new Map<Int32Array, Int32Array>();
  const models = [...scores.models.values()].map(({ model, logits, rowOfExample }) => {
    const place = places.get(rowOfExample) ?? sharedArray(rowOfExample);
    places.set(rowOfExample, place);
    return { model, logits: sharedRows(logits), rowOfExample: place, labels };
  });
  const shares = helpers.map(async (helper, h) => {
    const done = await helper.measure({ models: models.filter((_, m) => m % helpers.length === h), binning });
    for (const [model, found] of done ?? []) measured.set(model, found);
  });
  return Promise.all(shares).then(() => undefined);
}

/** The share of one thread. */
export function measureShare({ models, binning }: ModelsShare): MeasuredShare {
  const scratch = new Scratch();
  return models.map((each) => [each.model, measureModel(each, binning, scratch)]);
}
