import type { FromWorker } from '../../engine/protocol/protocol.js';
import { REPLY, type RowDelivery } from './deliver-rows.js';

/** What the parent knows of a talk when a message comes. */
export interface TalkState {
  readonly jobs: number;
  readonly loaded: boolean;
  /** Whether other children score some of the rows. */
  readonly shared?: boolean;
  /** Whether it was asked to tell tokens. */
  readonly tellsTokens?: boolean;
  readonly delivery: Pick<RowDelivery, 'awaits' | 'awaitsWhole' | 'remaining'>;
}

/** No reply is longer: a text of more is damaged memory. */
const MOST_CHARACTERS = 16 * 2 ** 20;

type Fields = Readonly<Record<string, unknown>>;

/**
 * What is wrong with a message of a worker, null when nothing is. Native code can damage the memory of its process:
 * a message that does not follow the protocol, or rows that nobody asked for, must not become a result.
 */
export function messageFault(message: unknown, state: TalkState): string | null {
  if (!isFields(message)) return `a message that is no object (${typeof message})`;
  const kind = String(message.kind);
  if (!Object.hasOwn(CHECKS, kind)) return `a message of the unknown kind ${JSON.stringify(kind.slice(0, 40))}`;
  return CHECKS[kind as FromWorker['kind']](message, state);
}

const CHECKS: Record<FromWorker['kind'], (message: Fields, state: TalkState) => string | null> = {
  ready: () => null,
  log: ({ text, level }) => (isText(text) && isText(level) ? null : 'a log line without text'),
  progress: ({ what }) => (isText(what) ? null : 'progress of nothing'),
  tokens: ({ chunk, packed }, { tellsTokens }) =>
    tellsTokens === true && isCount(chunk) && packed instanceof Uint32Array ? null : 'tokens that nobody asked for',
  tried: () => 'a trial that nobody asked for',
  failed: ({ reason }) => (isText(reason) ? null : 'a failure without a reason'),
  loaded: ({ facts }) => (isFields(facts) && Array.isArray(facts.warnings) ? null : 'a loaded model without its facts'),
  batch: ({ job, ids, tokens }, state) =>
    isJob(job, state) && Array.isArray(ids) && ids.every(isText) && isCount(tokens) ? null : 'a batch without its rows',
  rows: rowsFault,
  done: ({ stopped }, { jobs, loaded, shared, delivery }) => {
    if (stopped === true) return null;
    if (!loaded) return 'the end of a model that was never loaded';
    if (shared === true) return null;
    const missing = Array.from({ length: jobs }, (_, job) => delivery.remaining(job).length).reduce((a, b) => a + b, 0);
    return missing === 0 ? null : `the end of the model, but ${missing} rows have not come`;
  },
};

function rowsFault({ job, rows, tokens }: Fields, state: TalkState): string | null {
  if (!state.loaded) return 'rows of a model that was never loaded';
  if (!isJob(job, state)) return `rows of the unknown data set ${String(job)}`;
  if (!Array.isArray(rows) || !isCount(tokens)) return 'rows that are no list';
  const seen = new Set<unknown>();
  for (const row of rows as readonly unknown[]) {
    if (!isFields(row) || !isText(row.id)) return 'a row without an id';
    const id = JSON.stringify(row.id.slice(0, 80));
    const expected = state.delivery.awaits(job, row.id);
    if (expected === null || seen.has(row.id)) return `row ${id}, which was not asked for or came before`;
    seen.add(row.id);
    const fault = rowFault(row, expected, state.delivery.awaitsWhole(job, row.id));
    if (fault !== null) return `row ${id} ${fault}`;
  }
  return null;
}

function rowFault(row: Fields, expected: number, whole: number | null): string | null {
  const { status, reason, logits, logZ, optionMass, promptTokens } = row;
  if (!isCount(promptTokens)) return 'without its number of tokens';
  if (status === 'failed') return isText(reason) ? null : 'that failed without a reason';
  if (status === 'replied') return expected === REPLY ? replyFault(row) : 'with a reply where scores were asked for';
  if (expected === REPLY) return 'without the reply that was asked for';
  if (status !== 'ok') return `with the unknown status ${JSON.stringify(String(status).slice(0, 40))}`;
  if (!isNumbers(logits)) return 'without a list of logits';
  if (logits.length !== expected && logits.length !== whole)
    return `with ${logits.length} logits where ${expected} were asked for`;
  if (!Array.from(logits).every(Number.isFinite)) return 'with logits that are not finite numbers';
  return typeof logZ === 'number' && typeof optionMass === 'number' ? null : 'without its option mass';
}

function replyFault({ text, replyTokens, seed, ended, allowedMass = 0 }: Fields): string | null {
  if (!isText(text) || text.length > MOST_CHARACTERS) return 'without the text of its reply';
  if (typeof allowedMass !== 'number') return 'with an allowed mass that is no number';
  return isCount(replyTokens) && isCount(seed) && typeof ended === 'boolean' ? null : 'without the facts of its reply';
}

function isNumbers(value: unknown): value is ArrayLike<number> {
  return Array.isArray(value) || value instanceof Float32Array || value instanceof Float64Array;
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isJob = (job: unknown, { jobs }: TalkState): job is number => isCount(job) && job < jobs;
