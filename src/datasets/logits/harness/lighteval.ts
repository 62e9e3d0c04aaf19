import type { Fault } from '../../../errors/supportcal-error.js';
import { parquet } from '../../../formats/parquet.js';
import {
  isRowObject,
  type RowObject,
  type RowValue,
  type SourceRow,
  scalarText,
} from '../../../formats/row/source-row.js';
import { MAX_OPTIONS } from '../../options/row-options.js';
import type { Harness, LogReading } from './harness.js';
import { logHash } from './log-hash.js';
import { logNumber } from './log-number.js';
import { singleRowReader } from './single-row-reader.js';

/** LightEval: `details_TASK_TIME.parquet`, which `--save-details` writes. */
export const lighteval = {
  name: 'lighteval',
  scores: 'texts',
  countings: ['sum', 'mean-token', 'per-char', 'pmi'],
  files: 'details_TASK_TIME.parquet, from --save-details',
  nameParts(file) {
    const [, task, written] = /\/details_([^/]+)_(\d{4}-\d\d-\d\dT[\d.:-]+)\.parquet$/.exec(file) ?? [];
    return task === undefined || written === undefined ? null : { task, written };
  },
  rowFile: (file) => ({ file, format: parquet, options: {} }),
  reader: () => singleRowReader(readDetail, 'have several right choices: they count in fits, not in metrics'),
} as const satisfies Harness;

function readDetail({ values, number }: SourceRow): LogReading {
  const { doc, model_response: response } = values;
  if (!isRowObject(doc) || !isRowObject(response)) {
    const message = `expected the columns doc and model_response (as of release 0.13); found ${Object.keys(values).join(', ')}`;
    return { kind: 'wrong', faults: [{ row: `${number}`, message }] };
  }
  const id = scalarText(doc.id ?? null) ?? null;
  const row = id === null || id === '' ? `${number}` : id;
  const faults: Fault[] = [];
  const add = (field: string, message: string) => faults.push({ field, row, message });
  if (id === null || id === '') add('doc', 'the document has no id');
  const options = textsOf(doc.choices);
  if (options === null || options.length < 2 || options.length > MAX_OPTIONS) {
    add('doc', `expected 2 to ${MAX_OPTIONS} choices; only multiple-choice tasks have scores of options`);
    return { kind: 'wrong', faults };
  }
  const logprobs = scoresOf(response.logprobs, options.length);
  if (typeof logprobs === 'string') add('model_response', logprobs);
  const label = labelOf(doc.gold_index, options.length);
  if (typeof label === 'string') add('doc', label);
  if (faults.length > 0 || typeof logprobs === 'string' || typeof label === 'string') return { kind: 'wrong', faults };
  const hashes = {
    document: logHash([doc.query ?? null, options]),
    target: logHash([doc.gold_index ?? null]),
    prompt: logHash([doc.instruction ?? null, doc.query ?? null, examplesOf(doc), response.input ?? null]),
  };
  const tokens = tokensOf(response.output_tokens, options.length);
  const cut = logNumber(response.truncated_tokens_count ?? null);
  if (cut !== undefined && cut > 0) {
    const none = { scores: options.map(() => Number.NaN), unconditional: null, means: null };
    const absent = `the harness cut ${cut} tokens off the prompt, which was too long for the model`;
    return { kind: 'row', row: { id: row, options, ...none, label, hashes, absent } };
  }
  const means = tokens === null ? null : logprobs.scores.map((score, k) => score / (tokens[k] ?? Number.NaN));
  return { kind: 'row', row: { id: row, options, ...logprobs, means, label, hashes } };
}

/** A task with mutual information has the log-probabilities without a question after the others. */
function scoresOf(
  value: RowValue | undefined,
  count: number,
): { readonly scores: number[]; readonly unconditional: number[] | null } | string {
  const expected = `expected ${count} log-probabilities, one a choice (or twice as many, with mutual information)`;
  const list = Array.isArray(value) ? (value as readonly RowValue[]) : [];
  if (list.length === 0) return `it has no log-probabilities; ${expected}: the task lets the model write`;
  const numbers = list.map(logNumber);
  if (numbers.includes(undefined)) return `a log-probability is no number; ${expected}`;
  if (numbers.length !== count && numbers.length !== 2 * count) return `${expected}, found ${numbers.length}`;
  const all = numbers as number[];
  return { scores: all.slice(0, count), unconditional: all.length === count ? null : all.slice(count) };
}

function labelOf(value: RowValue | undefined, count: number): number | null | string {
  const list = (Array.isArray(value) ? value : [value ?? null]) as readonly RowValue[];
  const right = list.map(logNumber);
  const bad = right.find((each) => each === undefined || !Number.isInteger(each) || each < 0 || each >= count);
  if (right.includes(undefined) || bad !== undefined)
    return `gold_index is ${JSON.stringify(right)}; expected the number of a choice, from 0 to ${count - 1}`;
  return right.length === 1 ? (right[0] ?? null) : null;
}

/** How many tokens each choice has, where the log lists them. */
function tokensOf(value: RowValue | undefined, count: number): number[] | null {
  const lists = Array.isArray(value) ? (value as readonly RowValue[]).slice(0, count) : [];
  const lengths = lists.map((each) => (Array.isArray(each) ? each.length : 0));
  return lengths.length === count && !lengths.includes(0) ? lengths : null;
}

/** The questions of the solved examples that stand before this one. */
function examplesOf({ fewshot_samples: samples }: RowObject): readonly RowValue[] {
  return Array.isArray(samples)
    ? (samples as readonly RowValue[]).map((each) => (isRowObject(each) ? (each.query ?? null) : null))
    : [];
}

function textsOf(value: RowValue | undefined): readonly string[] | null {
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? (value as string[]) : null;
}
