import type { ScoreTable } from '../cache/score-table.js';
import type { Dataset } from '../datasets/example.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';

/** One model's scores on a data set, joined to the data set's examples by id. */
export interface ModelScores {
  readonly model: string;
  readonly table: ScoreTable;
  /** Example index -> row of the table; -1 where the model has no usable logits for the example. */
  readonly rowOfExample: Int32Array;
  /** Examples without usable logits, with the reason. */
  readonly failures: ReadonlyArray<{ readonly id: string; readonly reason: string }>;
}

/** All that calibration needs of one data set: examples in id order and every model's logits for them. */
export interface DatasetScores {
  readonly dataset: string;
  readonly ids: readonly string[];
  /** 0-based label per example; -1 unlabelled. */
  readonly labels: Int32Array;
  /** null when the rows come from imports and have no content. */
  readonly contentHashes: readonly string[] | null;
  readonly models: ReadonlyMap<string, ModelScores>;
}

/**
 * Joins score tables with a data set by example id, never by position. `dataset` null: the examples are the imported
 * ids with their labels. Refuses tables whose number of options K differs for an example.
 */
export function joinScores(
  id: string,
  dataset: Dataset | null,
  tables: ReadonlyMap<string, ScoreTable>,
): DatasetScores {
  const examples = dataset ? examplesOf(dataset) : importedExamples(id, tables);
  const indexOf = new Map(examples.ids.map((exampleId, i) => [exampleId, i]));
  const optionCounts = examples.optionCounts;
  const models = new Map<string, ModelScores>();
  const faults: Fault[] = [];
  for (const [model, table] of tables) {
    const rowOfExample = new Int32Array(examples.ids.length).fill(-1);
    const failed = new Map<string, string>();
    table.ids.forEach((rowId, row) => {
      const i = indexOf.get(rowId);
      if (i === undefined) return;
      if (table.status[row] !== 1) {
        failed.set(rowId, table.reasons[row] ?? 'no usable logits');
        return;
      }
      const k = table.logits.offsets[row + 1]! - table.logits.offsets[row]!;
      if (optionCounts[i] === 0) optionCounts[i] = k;
      if (optionCounts[i] !== k) {
        faults.push({
          field: id,
          row: rowId,
          message: `model "${model}" has ${k} option logits, expected ${optionCounts[i]} as elsewhere; import or score it again`,
        });
      }
      rowOfExample[i] = row;
    });
    const failures = examples.ids
      .filter((_, i) => rowOfExample[i] === -1)
      .map((exampleId) => ({ id: exampleId, reason: failed.get(exampleId) ?? 'no scores for this example' }));
    models.set(model, { model, table, rowOfExample, failures });
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults.slice(0, 50));
  return { dataset: id, ids: examples.ids, labels: examples.labels, contentHashes: examples.contentHashes, models };
}

interface Examples {
  readonly ids: readonly string[];
  readonly labels: Int32Array;
  readonly contentHashes: readonly string[] | null;
  /** K per example; 0 until a table tells. */
  readonly optionCounts: Int32Array;
}

function examplesOf(dataset: Dataset): Examples {
  return {
    ids: dataset.examples.map((example) => example.id),
    labels: Int32Array.from(dataset.examples, (example) => example.label ?? -1),
    contentHashes: dataset.examples.map((example) => example.contentHash),
    optionCounts: Int32Array.from(dataset.examples, (example) => example.options.length),
  };
}

/** Union of the imported ids in code-unit order; labels of different files must not contradict each other. */
function importedExamples(dataset: string, tables: ReadonlyMap<string, ScoreTable>): Examples {
  const labelOf = new Map<string, { label: number; model: string }>();
  const faults: Fault[] = [];
  for (const [model, table] of tables) {
    table.ids.forEach((id, row) => {
      const label = table.labels?.[row] ?? -1;
      const known = labelOf.get(id);
      if (known === undefined || (known.label === -1 && label !== -1)) labelOf.set(id, { label, model });
      else if (label !== -1 && known.label !== label) {
        faults.push({
          field: dataset,
          row: id,
          message: `the import for "${model}" has label ${label}, the one for "${known.model}" has ${known.label}; import one of them again`,
        });
      }
    });
  }
  if (faults.length > 0) throw new SupportCalError('bad-input', faults.slice(0, 50));
  const ids = [...labelOf.keys()].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    ids,
    labels: Int32Array.from(ids, (id) => labelOf.get(id)!.label),
    contentHashes: null,
    optionCounts: new Int32Array(ids.length),
  };
}
