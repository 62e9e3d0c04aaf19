import type { Fault } from '../../../errors/supportcal-error.js';
import { json } from '../../../formats/json.js';
import type { SourceRow } from '../../../formats/row/source-row.js';
import { MAX_OPTIONS } from '../../options/row-options.js';
import type { Harness, LogReader, LogReading, LogRow } from './harness.js';
import { type HelmRequest, helmRequest } from './helm-request.js';
import { logHash } from './log-hash.js';

/** HELM: `scenario_state.json` of a run that asks for the probability of every option (multiple_choice_separate_*). */
export const helm = {
  name: 'helm',
  scores: 'texts',
  countings: ['sum', 'mean-token', 'per-char', 'pmi'],
  files: 'runs/SUITE/RUN/scenario_state.json',
  nameParts(file) {
    const [, suite, run] = /(?:\/([^/]+))?\/([^/]+)\/scenario_state\.json(?:\.gz)?$/.exec(file) ?? [];
    if (run === undefined) return null;
    const model = /[:,]model=([^,]*)/.exec(run)?.[1];
    const task = run.replace(/([:,])model(?:_deployment)?=[^,]*/g, '$1').replace(/[:,]+(?=[:,]|$)/g, '');
    return { task, model, written: suite ?? '' };
  },
  rowFile: (file) => ({ file, format: json, options: { allowNonFinite: true, rows: 'request_states' } }),
  reader,
} as const satisfies Harness;

/** The requests of one question, which make one row. They stand one after the other. */
interface Question {
  readonly first: HelmRequest;
  readonly number: number;
  readonly line: number | undefined;
  /** By the number of the option. */
  readonly asked: Map<number, HelmRequest>;
  /** Requests for the options without the question, where the run makes them. */
  readonly alone: Map<number, HelmRequest>;
}

interface State {
  open: Question | null;
  changed: number;
  laterTrials: number;
  unlabelled: number;
}

function reader(): LogReader {
  const state: State = { open: null, changed: 0, laterTrials: 0, unlabelled: 0 };
  return {
    read: (row) => readRequest(row, state),
    rest: () => (state.open === null ? [] : [unfinished(state.open)]),
    notes: () => notesOf(state),
  };
}

function readRequest({ values, number, line }: SourceRow, state: State): LogReading {
  const request = helmRequest(values, `${number}`);
  if ('faults' in request) return { kind: 'wrong', faults: request.faults };
  if (request.changed) state.changed++;
  else if (request.trial > 0) state.laterTrials++;
  if (request.changed || request.trial > 0) return { kind: 'left-out' };
  const faults: Fault[] = [];
  if (state.open !== null && state.open.first.id !== request.id) {
    faults.push(unfinished(state.open));
    state.open = null;
  }
  state.open ??= { first: request, number, line, asked: new Map(), alone: new Map() };
  const { first, asked, alone } = state.open;
  const requests = request.mode === 'calibration' ? alone : asked;
  const other = otherQuestion(first, request);
  if (other !== null) faults.push({ field: 'instance', row: request.id, message: other });
  if (requests.has(request.option)) faults.push(askedTwice(request));
  requests.set(request.option, request);
  if (faults.length > 0) return { kind: 'wrong', faults };
  const count = request.options.length;
  if (asked.size < count || (alone.size > 0 && alone.size < count)) return { kind: 'left-out' };
  const row = rowOf(state.open);
  state.open = null;
  if (count < 2 || count > MAX_OPTIONS) {
    const message = `expected 2 to ${MAX_OPTIONS} references, found ${count}; only multiple-choice runs have them`;
    return { kind: 'wrong', faults: [{ field: 'instance', row: row.id, message }] };
  }
  if (row.label === null) state.unlabelled++;
  return { kind: 'row', row };
}

/** Requests of one id are of one question, whose numbers make one row. */
function otherQuestion(first: HelmRequest, { input, options, right }: HelmRequest): string | null {
  const same = JSON.stringify([first.input, first.options, first.right]) === JSON.stringify([input, options, right]);
  return same ? null : 'the question has another text or other references than in an earlier request of the same id';
}

function askedTwice({ id, option, mode }: HelmRequest): Fault {
  const where = mode === 'calibration' ? ' without the question' : '';
  return { field: 'reference_index', row: id, message: `reference ${option + 1} is asked for twice${where}` };
}

function unfinished({ first, number, line, asked, alone }: Question): Fault {
  const found = [...asked.keys()].map((k) => k + 1).join(', ') || 'none';
  const message =
    `the question has ${first.options.length} references, but only requests for ${found}` +
    `${alone.size > 0 ? ` (${alone.size} of them without the question)` : ''}; the log is not whole`;
  return { row: first.id, number, line, field: 'reference_index', message };
}

function rowOf({ first, asked, alone }: Question): LogRow {
  const { id, input, options, right } = first;
  const requests = options.map((_, k) => asked.get(k));
  const unconditional = alone.size > 0 ? options.map((_, k) => alone.get(k)?.score ?? Number.NaN) : null;
  const absent = requests.find((each) => each?.absent !== undefined)?.absent;
  return {
    id,
    options,
    scores: requests.map((each) => each?.score ?? Number.NaN),
    unconditional,
    means: requests.map((each) => (each === undefined ? Number.NaN : each.score / each.tokens)),
    label: right.length === 1 ? (right[0] ?? null) : null,
    hashes: {
      document: logHash([input, options]),
      target: logHash([right]),
      prompt: logHash(requests.map((each) => each?.prompt ?? null)),
    },
    absent,
  };
}

function notesOf({ changed, laterTrials, unlabelled }: State): string[] {
  return [
    ...(changed > 0 ? [`${changed} requests of changed questions (data augmentation) were not taken`] : []),
    ...(laterTrials > 0 ? [`the first trial was taken, not ${laterTrials} requests of later ones`] : []),
    ...(unlabelled > 0 ? [`${unlabelled} questions have no single right reference: they count in fits only`] : []),
  ];
}
