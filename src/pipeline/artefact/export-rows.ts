import { calibratedPrediction } from '../../core/calibrated-prediction.js';
import type { Dataset } from '../../datasets/example/example.js';
import { type CsvValue, csvText, EXPORT_MARK } from '../../files/csv-cell.js';
import { rowOf } from '../../numeric/ragged-rows.js';
import type { CollectedScores } from '../collect/collect-scores.js';
import { toolVersion } from '../workspace/tool-version.js';
import type { WorkspaceDataset } from '../workspace/workspace.js';
import { shownFields } from '../write/example-texts.js';
import type { FittedTarget } from './build-artefact.js';

/** Columns before those of the options; the first one marks the file as an export. */
const NAMED_COLUMNS = [
  EXPORT_MARK,
  'dataset',
  'model',
  'id',
  'label',
  'labelText',
  'prediction',
  'predictionText',
  'confidence',
  'rawConfidence',
  'margin',
];

/** A file may be longer than the longest string. */
const ROWS_A_PIECE = 1000;

/**
 * Every usable row of a target as CSV: id, label, what the model says before and after calibration, boundary margin m_n
 * of Eq. (margin), option logits, texts. Spreadsheets open it safely: text that they would run is defused, numbers are
 * numbers. `supportcal import` reads it back, ids and labels as they were.
 *
 * @returns the text in pieces
 */
export function* exportRows(
  { spec, content }: WorkspaceDataset,
  { scores }: CollectedScores,
  target: FittedTarget,
): Generator<string> {
  const { aligned } = target;
  const examples = content?.dataset.examples ?? null;
  const fields = shownFields(spec);
  const most = mostOptions(target);
  const margins = target.margins();
  const columns = Array.from({ length: most }, (_, k) => k);
  const head = [
    ...NAMED_COLUMNS,
    ...columns.map((k) => `logit_${k}`),
    ...(examples === null ? [] : [...columns.map((k) => `option_${k}`), ...fields.map((field) => `field ${field}`)]),
  ];
  let waiting: CsvValue[][] = [head];
  for (const [n, id] of scores.ids.entries()) {
    const row = aligned.rowOfExample[n]!;
    if (row === -1) continue;
    const given = [toolVersion(), scores.dataset, target.plan.target.id, id];
    const cells = rowCells(target, row, examples?.[n] ?? null, { columns, fields, margin: margins[row]! });
    waiting.push([...given, ...cells]);
    if (waiting.length < ROWS_A_PIECE) continue;
    yield csvText(waiting);
    waiting = [];
  }
  yield csvText(waiting);
}

function rowCells(
  { aligned, outcome: { outcome } }: FittedTarget,
  row: number,
  example: Dataset['examples'][number] | null,
  {
    columns,
    fields,
    margin,
  }: { readonly columns: readonly number[]; readonly fields: readonly string[]; readonly margin: number },
): CsvValue[] {
  const logits = rowOf(aligned.targetLogits, row);
  const said = calibratedPrediction(logits, outcome.kind === 'finite' ? outcome.inverseTemperature : 0);
  const label = aligned.labels[row] === -1 ? null : aligned.labels[row]!;
  const option = (k: number | null) => (k === null ? null : (example?.options[k] ?? null));
  return [
    label,
    option(label),
    said.prediction,
    option(said.prediction),
    said.confidence,
    said.rawConfidence,
    Number.isNaN(margin) ? null : margin,
    ...columns.map((k) => logits[k] ?? null),
    ...(example === null ? [] : [...columns.map(option), ...fields.map((field) => example.fields[field] ?? null)]),
  ];
}

function mostOptions({ aligned: { targetLogits } }: FittedTarget): number {
  let most = 0;
  for (let n = 0; n < targetLogits.rowCount; n++) most = Math.max(most, rowOf(targetLogits, n).length);
  return most;
}
