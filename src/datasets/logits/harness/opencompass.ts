import type { Fault } from '../../../errors/supportcal-error.js';
import { json } from '../../../formats/json.js';
import { type RowObject, type RowValue, type SourceRow, scalarText } from '../../../formats/row/source-row.js';
import { MAX_OPTIONS } from '../../options/row-options.js';
import type { Harness, LogReading } from './harness.js';
import { logHash } from './log-hash.js';
import { type OpenCompassScores, openCompassScores } from './opencompass-scores.js';
import { singleRowReader } from './single-row-reader.js';

/** OpenCompass: `predictions/MODEL/DATASET.json` of a data set that is asked by perplexity or log-likelihood. */
export const opencompass = {
  name: 'opencompass',
  scores: 'texts',
  countings: ['sum', 'mean-token'],
  files: 'predictions/MODEL/DATASET.json',
  nameParts(file) {
    const [, written, model, task] = /\/([^/]+)\/predictions\/([^/]+)\/([^/]+)\.json(?:\.gz)?$/.exec(file) ?? [];
    return task === undefined || written === undefined ? null : { task, model, written };
  },
  rowFile: (file) => ({ file, format: json, options: { allowNonFinite: true, layout: 'keyed' } }),
  reader: () =>
    singleRowReader(
      readPrediction,
      'have no gold, or one that is none of the labels: they count in fits, not in metrics',
    ),
} as const satisfies Harness;

function readPrediction({ values, number }: SourceRow): LogReading {
  const row = scalarText(values._key ?? null) ?? `${number}`;
  const faults: Fault[] = [];
  const add = (field: string, message: string) => faults.push({ field, row, message });
  const scores = openCompassScores(values);
  if (typeof scores === 'string') {
    add('prediction', scores);
    return { kind: 'wrong', faults };
  }
  const { labels } = scores;
  if (labels.length < 2 || labels.length > MAX_OPTIONS)
    add('prediction', `expected 2 to ${MAX_OPTIONS} labels, found ${labels.length}`);
  const other = contradiction(values.prediction, scores);
  if (other !== null) add('prediction', other);
  if (faults.length > 0) return { kind: 'wrong', faults };
  const gold = scalarText(values.gold ?? null);
  const found = gold === null || gold === undefined ? -1 : labels.indexOf(gold);
  return { kind: 'row', row: { ...rowOf(row, values, scores), label: found < 0 ? null : found } };
}

function rowOf(id: string, values: RowObject, { labels, scores, means, texts, prompts, absent }: OpenCompassScores) {
  return {
    id,
    options: labels,
    scores,
    unconditional: null,
    means,
    absent,
    hashes: {
      document: logHash([...labels, ...texts]),
      target: values.gold === undefined ? null : logHash([values.gold]),
      prompt: logHash([...prompts]),
    },
  };
}

/** The log's own prediction is the label that it holds for most probable: it tells whether we read it as it does. */
function contradiction(prediction: RowValue | undefined, { labels, own }: OpenCompassScores): string | null {
  const said = scalarText(prediction ?? null);
  if (said === null || said === undefined) return null;
  if (!labels.includes(said)) return `"${said}", which is none of its labels (${labels.join(', ')}); is the log whole?`;
  const best = Math.max(...own);
  if (Number.isNaN(best) || own[labels.indexOf(said)] === best) return null;
  return `"${said}", but the log's own numbers make "${labels[own.indexOf(best)]}" the most probable label`;
}
