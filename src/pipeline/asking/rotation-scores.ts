import type { ScoreTable } from '../../cache/table/score-table.js';
import type { ModelFacts } from '../../contract/scorer.js';
import { type RaggedRows, takeRows } from '../../numeric/ragged-rows.js';
import type { Results } from '../../results/results-schema.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import type { Planned, PlannedEntry } from '../join/planned-entry.js';

/** A target's scores under every order of the options, joined to the examples of the data set. */
export interface RotationScores {
  /** Row: K x K logits, rotation by rotation, in the original option order. */
  readonly table: ScoreTable;
  /** Example index -> row of the table; -1 where the example has no usable logits. */
  readonly rowOfExample: Int32Array;
  /** Whether the first order was evaluated too; otherwise its scores are the plain ones. */
  readonly firstEvaluated: boolean;
}

export interface CollectedRotations {
  /** By target. */
  readonly targets: ReadonlyMap<string, RotationScores>;
  readonly skipped: Results['skipped'];
}

/** Joins the rotated scores of the targets with the examples; what is missing is said. */
export function collectRotations(
  { dataset, ids }: DatasetScores,
  plans: ReadonlyArray<Planned & { readonly rotations: ReadonlyMap<string, PlannedEntry> }>,
  reasons: ReadonlyMap<string, string>,
): CollectedRotations {
  const targets = new Map<string, RotationScores>();
  const skipped: Results['skipped'] = [];
  for (const { model, rotations } of plans) {
    const entry = rotations.get(dataset);
    if (entry === undefined) continue;
    const skip = (example: string | null, reason: string) =>
      skipped.push({ dataset, model: model.id, example, reason: `rotated options: ${reason}` });
    if (entry.kind !== 'ready') {
      const missing = 'no scores in the cache; run `supportcal score` or `supportcal pipeline`';
      skip(null, entry.kind === 'unavailable' ? entry.reason : (reasons.get(model.id) ?? missing));
      continue;
    }
    const { table } = entry;
    const rows = new Map(table.ids.map((id, row) => [id, row]));
    const rowOfExample = Int32Array.from(ids, (id) => {
      const row = rows.get(id) ?? -1;
      if (row !== -1 && table.status[row] === 1) return row;
      skip(id, row === -1 ? 'no scores for this example' : (table.reasons[row] ?? 'no usable logits'));
      return -1;
    });
    const { firstOrder } = entry.manifest.facts as Partial<ModelFacts>;
    targets.set(model.id, { table, rowOfExample, firstEvaluated: firstOrder !== 'plain' });
  }
  return { targets, skipped };
}

/** The scores without the examples that a target's rotations lack: what one method cannot use counts for none. */
export function withoutUnrotated(scores: DatasetScores, targets: CollectedRotations['targets']): DatasetScores {
  if (targets.size === 0) return scores;
  const models = [...scores.models].map(([id, model]) => {
    const rotated = targets.get(id)?.rowOfExample;
    if (rotated === undefined || !rotated.includes(-1)) return [id, model] as const;
    return [
      id,
      { ...model, rowOfExample: model.rowOfExample.map((row, i) => (rotated[i] === -1 ? -1 : row)) },
    ] as const;
  });
  return { ...scores, models: new Map(models) };
}

/** The rotated logits of the rows of one aligned target. */
export function alignRotations(
  { targetLogits, rowOfExample }: AlignedTarget,
  rotations: RotationScores | undefined,
): RaggedRows | null {
  if (rotations === undefined) return null;
  const rows = new Int32Array(targetLogits.rowCount);
  rowOfExample.forEach((row, i) => {
    if (row !== -1) rows[row] = rotations.rowOfExample[i]!;
  });
  return takeRows(rotations.table.logits, rows);
}
