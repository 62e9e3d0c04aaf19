import { askedOf } from '../workspace/load-workspace.js';
import type { Workspace } from '../workspace/workspace.js';
import type { ModelPlan } from './score-plan.js';

/** Prompts that are looked at: their mean is close enough, and a million prompts are many. */
const SAMPLE = 100;

const SMALL_MODEL_BYTES = 2 ** 30;

/** Rows of a model on a data set, asked in the way of a name. */
interface CostlyRows {
  readonly plan: ModelPlan;
  readonly dataset: string;
  readonly way: string;
}

/**
 * What a row costs, in bytes of weights times characters of text: scoring reads the weights once for so many tokens,
 * and tokens are as many as there are characters, up to a factor that all entries share. It divides work and predicts
 * no time.
 */
export function rowCost(workspace: Workspace, { plan, dataset: id, way: name }: CostlyRows): number {
  const dataset = workspace.datasets.find(({ spec }) => spec.id === id);
  const prompts =
    (dataset && askedOf(workspace, dataset, plan.model).find(({ way }) => way.name === name))?.evaluated ?? [];
  const step = Math.max(1, Math.floor(prompts.length / SAMPLE));
  const sample = Array.from({ length: Math.ceil(prompts.length / step) }, (_, n) => prompts[n * step]).flatMap(
    (prompt) => prompt ?? [],
  );
  const texts = sample.flatMap(({ text, rotations }) => rotations?.map((each) => each.text) ?? [text]);
  const characters = texts.reduce((sum, text) => sum + text.length, 0) / Math.max(1, sample.length);
  const place = plan.found?.place;
  // A model behind an endpoint has no file here: its rows count as much as those of a small model.
  const bytes = place !== undefined && 'bytes' in place ? place.bytes : SMALL_MODEL_BYTES;
  return Math.max(1, bytes) * Math.max(1, characters);
}
