import type { ScoreTable } from '../../cache/table/score-table.js';
import type { SampledReplies } from '../../calibration/answers/aggregate-replies.js';
import type { AnswerInputs } from '../../calibration/answers/answer-method.js';
import { type RaggedRows, raggedRows, rowOf } from '../../numeric/ragged-rows.js';
import type { Results } from '../../results/results-schema.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import type { Planned, PlannedEntry } from '../join/planned-entry.js';
import { ELICITATION_KINDS, type ElicitationKind } from './elicitation-forms.js';

/** By kind, the table of what one target replied; only the kinds that it was asked. */
export type TargetElicitation = Readonly<Partial<Record<ElicitationKind, ScoreTable>>>;

export interface CollectedElicitation {
  /** By target. */
  readonly targets: ReadonlyMap<string, TargetElicitation>;
  readonly skipped: Results['skipped'];
}

/** The replies of the targets; what is missing is said. An example without a reply stays with every other method. */
export function collectElicitation(
  { dataset }: Pick<DatasetScores, 'dataset'>,
  plans: ReadonlyArray<
    Planned & { readonly elicited: Readonly<Record<ElicitationKind, ReadonlyMap<string, PlannedEntry>>> }
  >,
  reasons: ReadonlyMap<string, string>,
): CollectedElicitation {
  const skipped: Results['skipped'] = [];
  const targets = new Map<string, TargetElicitation>();
  for (const { model, elicited } of plans) {
    const tables: Partial<Record<ElicitationKind, ScoreTable>> = {};
    for (const kind of ELICITATION_KINDS) {
      const entry = elicited[kind].get(dataset);
      if (entry === undefined) continue;
      const skip = (example: string | null, reason: string) =>
        skipped.push({ dataset, model: model.id, example, reason: `${kind}: ${reason}` });
      if (entry.kind !== 'ready') {
        const missing = 'no replies in the cache; run `supportcal score` or `supportcal pipeline`';
        skip(null, entry.kind === 'unavailable' ? entry.reason : (reasons.get(model.id) ?? missing));
        continue;
      }
      tables[kind] = entry.table;
      entry.table.ids.forEach((id, row) => {
        if (entry.table.status[row] === 0) skip(id, entry.table.reasons[row] ?? 'no reply');
      });
    }
    if (Object.keys(tables).length > 0) targets.set(model.id, tables);
  }
  return { targets, skipped };
}

/** What answer methods get of the rows of one aligned target. */
export function alignElicitation(
  { rowOfExample, targetLogits }: Pick<AlignedTarget, 'rowOfExample' | 'targetLogits'>,
  ids: readonly string[],
  given: TargetElicitation | undefined,
): Pick<AnswerInputs, 'elicited' | 'elicitedSamples' | 'truthLogits'> {
  const idOfRow: string[] = new Array(targetLogits.rowCount);
  rowOfExample.forEach((row, i) => {
    if (row !== -1) idOfRow[row] = ids[i]!;
  });
  return {
    elicited: samplesOf(idOfRow, given?.elicitation),
    elicitedSamples: samplesOf(idOfRow, given?.['elicitation-ensemble']),
    truthLogits: logitsOf(idOfRow, given?.['p-true']),
  };
}

/** Rows are named `<example>#<sample>`; a sample that failed has no answer. */
function samplesOf(ids: readonly string[], table: ScoreTable | undefined): SampledReplies | null {
  if (table === undefined) return null;
  const rows = new Map<string, number[]>();
  table.ids.forEach((id, row) => {
    const example = id.slice(0, id.lastIndexOf('#'));
    rows.set(example, [...(rows.get(example) ?? []), row]);
  });
  const ofExample = ids.map((id) => rows.get(id) ?? []);
  return {
    answers: ofExample.map((each) => Int32Array.from(each, (row) => table.replies?.answers[row] ?? -1)),
    confidences: ofExample.map((each) =>
      Float64Array.from(each, (row) => (table.replies?.confidences[row] ?? 0) / 100),
    ),
  };
}

function logitsOf(ids: readonly string[], table: ScoreTable | undefined): RaggedRows | null {
  if (table === undefined) return null;
  const rows = new Map(table.ids.map((id, row) => [id, row]));
  return raggedRows(
    ids.map((id) => {
      const row = rows.get(id);
      return row === undefined || table.status[row] === 0 ? [] : rowOf(table.logits, row);
    }),
  );
}
