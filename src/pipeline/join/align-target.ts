import { certainRows } from '../../calibration/certain-rows.js';
import type { TargetPlan } from '../../config/plan-suite.js';
import { type RaggedRows, takeRows } from '../../numeric/ragged-rows.js';
import type { DatasetScores, ModelScores } from './dataset-scores.js';

/** One target with its own base and references over the examples that all of them have. */
export interface AlignedTarget {
  readonly targetLogits: RaggedRows;
  readonly ownBaseLogits: RaggedRows;
  readonly references: ReadonlyArray<{ readonly id: string; readonly logits: RaggedRows }>;
  readonly labels: Int32Array;
  /** Example index -> row of the blocks above; -1 where some model has no usable logits. */
  readonly rowOfExample: Int32Array;
  /** Flags of the rows that no fit takes, see `certainRows`; null or absent when there are none. */
  readonly certain?: Uint8Array | null;
  /** `untold` of each row by the target and by its own base; absent where both know every option. */
  readonly untold?: { readonly target: Int32Array; readonly ownBase: Int32Array };
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
  const blocks = sharedBlocks(all, scores.ids.length) ?? takenBlocks(all, scores.ids.length);
  if (blocks === null)
    return { reason: 'no example has usable logits from the target, its own base and every reference' };
  const { logitsOf, rowOfExample } = blocks;
  const targetLogits = logitsOf(target);
  const certain = all.every(({ finite }) => finite) ? null : certainRows(all.map(logitsOf));
  const untold = untoldOf(target, ownBase, rowOfExample);
  if (untold.untold !== undefined) warnings.push(`${scores.dataset}, ${plan.target.id}: ${untoldText(untold.untold)}`);
  const count = certain?.reduce((sum, flag) => sum + flag, 0) ?? 0;
  if (count > 0) warnings.push(`${scores.dataset}, ${plan.target.id}: ${certainText(count, targetLogits.rowCount)}`);
  return {
    targetLogits,
    ownBaseLogits: logitsOf(ownBase),
    references: present.map((reference) => ({ id: reference.model, logits: logitsOf(reference) })),
    labels: labelsOfRows(scores.labels, rowOfExample, targetLogits.rowCount),
    rowOfExample,
    certain,
    ...untold,
    warnings,
  };
}

function untoldText({ target, ownBase }: NonNullable<AlignedTarget['untold']>): string {
  const count = target.reduce((sum, bits, n) => sum + (bits !== 0 || ownBase[n] !== 0 ? 1 : 0), 0);
  return (
    `${count} of ${target.length} examples have an option that a server did not tell, which is taken at the most that ` +
    'it can have (`missing: bound`)'
  );
}

function untoldOf(target: ModelScores, ownBase: ModelScores, rowOfExample: Int32Array): Pick<AlignedTarget, 'untold'> {
  if (target.table.untold === undefined && ownBase.table.untold === undefined) return {};
  const count = rowOfExample.reduce((sum, row) => sum + (row === -1 ? 0 : 1), 0);
  const bitsOf = ({ table, rowOfExample: rowOfTable }: ModelScores) => {
    const bits = new Int32Array(count);
    for (const [i, row] of rowOfExample.entries()) if (row !== -1) bits[row] = table.untold?.[rowOfTable[i] ?? -1] ?? 0;
    return bits;
  };
  return { untold: { target: bitsOf(target), ownBase: bitsOf(ownBase) } };
}

function certainText(certain: number, count: number): string {
  return (
    `${certain} of ${count} examples have an option of probability 0 from some model; they count in every metric, ` +
    'and no method is fitted on them, since no temperature makes the divergence of a probability of 0 finite'
  );
}

interface Blocks {
  /** The logits of a model; those of all models are of the same rows. */
  readonly logitsOf: (model: ModelScores) => RaggedRows;
  readonly rowOfExample: Int32Array;
}

/** The models' own logits, not copied, when every model has usable logits for every example; null otherwise. */
function sharedBlocks(models: readonly ModelScores[], exampleCount: number): Blocks | null {
  if (models.some(({ rowOfExample }) => rowOfExample.includes(-1))) return null;
  const rowOfExample = new Int32Array(exampleCount);
  for (let i = 0; i < rowOfExample.length; i++) rowOfExample[i] = i;
  return { logitsOf: ({ logits }) => logits, rowOfExample };
}

/** The rows of the examples that every model has, in the order of the examples; null when there are none. */
function takenBlocks(models: readonly ModelScores[], exampleCount: number): Blocks | null {
  const rowOfExample = new Int32Array(exampleCount).fill(-1);
  const usable: number[] = [];
  for (let i = 0; i < exampleCount; i++) {
    if (models.some((model) => model.rowOfExample[i] === -1)) continue;
    rowOfExample[i] = usable.length;
    usable.push(i);
  }
  if (usable.length === 0) return null;
  return { logitsOf: ({ logits }) => takeRows(logits, usable), rowOfExample };
}

function labelsOfRows(labels: Int32Array, rowOfExample: Int32Array, rowCount: number): Int32Array {
  const taken = new Int32Array(rowCount).fill(-1);
  for (let i = 0; i < rowOfExample.length; i++) {
    const row = rowOfExample[i] ?? -1;
    if (row !== -1) taken[row] = labels[i] ?? -1;
  }
  return taken;
}
