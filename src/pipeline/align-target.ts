import type { TargetPlan } from '../config/plan-suite.js';
import { type RaggedRows, takeRows } from '../numeric/ragged-rows.js';
import type { DatasetScores, ModelScores } from './dataset-scores.js';

/** One target with its own base and references over the examples that all of them have. */
export interface AlignedTarget {
  readonly targetLogits: RaggedRows;
  readonly ownBaseLogits: RaggedRows;
  readonly references: ReadonlyArray<{ readonly id: string; readonly logits: RaggedRows }>;
  readonly labels: Int32Array;
  /** Example index -> row of the blocks above; -1 where some model has no usable logits. */
  readonly rowOfExample: Int32Array;
  readonly warnings: readonly string[];
}

/** Keeps an example only when the target, its own base and every reference that has scores have it. */
export function alignTarget(plan: TargetPlan, scores: DatasetScores): AlignedTarget | { readonly reason: string } {
  const target = scores.models.get(plan.target.id);
  const ownBase = scores.models.get(plan.ownBase.id);
  if (!target) return { reason: `"${plan.target.id}" has no scores on this data set` };
  if (!ownBase) return { reason: `its own base "${plan.ownBase.id}" has no scores on this data set` };
  const present = plan.referencePool.flatMap((model) => scores.models.get(model.id) ?? []);
  const warnings = plan.referencePool
    .filter((model) => !scores.models.has(model.id))
    .map(
      (model) =>
        `${scores.dataset}, ${plan.target.id}: reference "${model.id}" has no scores and is left out of the pool`,
    );
  const all: readonly ModelScores[] = [target, ownBase, ...present];
  const usable: number[] = [];
  const rowOfExample = new Int32Array(scores.ids.length).fill(-1);
  scores.ids.forEach((_, i) => {
    if (all.some((model) => model.rowOfExample[i] === -1)) return;
    rowOfExample[i] = usable.length;
    usable.push(i);
  });
  if (usable.length === 0)
    return { reason: 'no example has usable logits from the target, its own base and every reference' };
  const take = (model: ModelScores) =>
    takeRows(
      model.table.logits,
      Int32Array.from(usable, (i) => model.rowOfExample[i]!),
    );
  return {
    targetLogits: take(target),
    ownBaseLogits: take(ownBase),
    references: present.map((model) => ({ id: model.model, logits: take(model) })),
    labels: Int32Array.from(usable, (i) => scores.labels[i]!),
    rowOfExample,
    warnings,
  };
}
