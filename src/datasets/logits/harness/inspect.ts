import type { Fault } from '../../../errors/supportcal-error.js';
import { json } from '../../../formats/json.js';
import { isRowObject, type RowValue, type SourceRow, scalarText } from '../../../formats/row/source-row.js';
import { zippedJson } from '../../../formats/zipped-json.js';
import { MAX_OPTIONS } from '../../options/row-options.js';
import type { Harness, LogReader, LogReading } from './harness.js';
import { answerScores } from './inspect-answer.js';
import { inspectPrompt, showsInOrder } from './inspect-prompt.js';
import { logHash } from './log-hash.js';

/** Inspect: `TIME_TASK_ID.eval` or `.json`, of a multiple-choice task whose model gave log-probabilities. */
export const inspect = {
  name: 'inspect',
  scores: 'labels',
  countings: ['sum'],
  files: 'TIME_TASK_ID.eval or .json, with log-probabilities',
  nameParts(file) {
    const [, written, task] =
      /\/(\d{4}-\d\d-\d\dT[\d-]+)_([^/]+)_[A-Za-z0-9]{16,}\.(?:json(?:\.gz)?|eval)$/.exec(file) ?? [];
    return task === undefined || written === undefined ? null : { task, written };
  },
  rowFile: (file) => ({
    file,
    format: /\.eval$/i.test(file.path) ? zippedJson : json,
    options: { allowNonFinite: true, rows: 'samples' },
  }),
  reader,
} as const satisfies Harness;

interface Counts {
  laterEpochs: number;
  unlabelled: number;
  unanswered: number;
  failed: number;
}

function reader(): LogReader {
  const counts: Counts = { laterEpochs: 0, unlabelled: 0, unanswered: 0, failed: 0 };
  return { read: (row) => readSample(row, counts), notes: () => notesOf(counts) };
}

function readSample({ values, number }: SourceRow, counts: Counts): LogReading {
  // Every epoch asks all questions once more.
  if (typeof values.epoch === 'number' && values.epoch > 1) {
    counts.laterEpochs++;
    return { kind: 'left-out' };
  }
  const id = values.id === undefined ? null : (scalarText(values.id) ?? null);
  const row = id ?? `${number}`;
  const faults: Fault[] = [];
  const add = (field: string, message: string) => faults.push({ field, row, message });
  if (id === null) add('id', 'the id of the sample is missing or no text; is this a log of Inspect?');
  const choices = textsOf(values.choices);
  if (choices === null || choices.length < 2 || choices.length > MAX_OPTIONS) {
    add('choices', `expected 2 to ${MAX_OPTIONS} texts; only samples of multiple-choice tasks have them`);
    return { kind: 'wrong', faults };
  }
  const failure = failureOf(values.error);
  const prompt = inspectPrompt(values);
  if (failure !== null) counts.failed++;
  else if (prompt === null || !showsInOrder(prompt, choices))
    add('messages', 'the question does not show the choices after A, B, ... in their order; was the task shuffled?');
  const scores = failure === null ? answerScores(values, choices.length) : choices.map(() => Number.NaN);
  if (typeof scores === 'string') add('output', scores);
  const label = labelOf(values.target, choices.length);
  if (typeof label === 'string') add('target', label);
  if (faults.length > 0 || id === null || typeof scores === 'string' || typeof label === 'string')
    return { kind: 'wrong', faults };
  if (label === null) counts.unlabelled++;
  if (failure === null && scores.every(Number.isNaN)) counts.unanswered++;
  const hashes = {
    document: logHash([values.input ?? null, choices]),
    target: logHash([values.target ?? null]),
    prompt: logHash([prompt]),
  };
  const options = choices.map((_, k) => letterOf(k));
  const absent = failure ?? absentScores(scores, options);
  return { kind: 'row', row: { id, options, scores, unconditional: null, means: null, label, hashes, absent } };
}

function absentScores(scores: readonly number[], letters: readonly string[]): string | undefined {
  if (scores.every(Number.isNaN)) return 'the reply names no letter, or none where the answer stands';
  const absent = letters.filter((_, k) => Number.isNaN(scores[k]));
  if (absent.length === 0) return undefined;
  return `not among the candidates that the log has for the answer: ${absent.join(', ')}; log more (top_logprobs)`;
}

/** A sample that the run gave up on has no reply; the others of its log stand. */
function failureOf(error: RowValue | undefined): string | null {
  if (error === undefined || error === null) return null;
  const message = isRowObject(error) && typeof error.message === 'string' ? `: ${error.message.slice(0, 200)}` : '';
  return `the sample ended with an error${message}`;
}

function letterOf(k: number): string {
  return String.fromCharCode(65 + k);
}

function textsOf(value: RowValue | undefined): readonly string[] | null {
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? (value as string[]) : null;
}

/** The target is the letter of an option, or a list of letters. */
function labelOf(target: RowValue | undefined, count: number): number | null | string {
  const list = (Array.isArray(target) ? target : [target ?? null]) as readonly RowValue[];
  if (list.length !== 1) return null;
  const text = scalarText(list[0] ?? null);
  if (text === null || text === '') return null;
  const label = text?.trim().length === 1 ? text.trim().toUpperCase().charCodeAt(0) - 65 : -1;
  if (label >= 0 && label < count) return label;
  return `expected a letter from A to ${letterOf(count - 1)}, found ${JSON.stringify(text ?? 'a list or an object')}`;
}

function notesOf({ laterEpochs, unlabelled, unanswered, failed }: Counts): string[] {
  return [
    ...(laterEpochs > 0 ? [`the samples of the first epoch were taken, not ${laterEpochs} of later ones`] : []),
    ...(unlabelled > 0 ? [`${unlabelled} samples have no single target: they count in fits, not in metrics`] : []),
    ...(failed > 0 ? [`${failed} samples ended with an error of their run and have no scores`] : []),
    ...(unanswered > 0 ? [`${unanswered} replies have no answer letter, so that no score of an option is known`] : []),
  ];
}
