import type { Fault } from '../../../errors/supportcal-error.js';
import { isRowObject, type RowObject, type RowValue } from '../../../formats/row/source-row.js';
import { logNumber } from './log-number.js';

/** The requests of one sample and what the model answered to them. */
export interface LmEvalRequests {
  readonly options: readonly string[];
  readonly scores: readonly number[];
  readonly unconditional: readonly number[] | null;
  /** Whether the options stand in the prompts, each before the same text, as in Winogrande. */
  readonly inPrompts: boolean;
}

/**
 * Prompt and text of every request, and its log-probability. A task with mutual information asks for every option a
 * second time with an empty prompt: those come after the others and are no options.
 */
export function lmEvalRequests(values: RowObject): LmEvalRequests | { readonly faults: readonly Fault[] } {
  const pairs = argumentPairs(values.arguments);
  const scores = responses(values.filtered_resps);
  const faults: Fault[] = [];
  if (typeof pairs === 'string') faults.push({ field: 'arguments', message: pairs });
  if (typeof scores === 'string') faults.push({ field: 'filtered_resps', message: scores });
  if (typeof pairs === 'string' || typeof scores === 'string') return { faults };
  if (pairs.length !== scores.length) {
    const message = `${scores.length} responses, but the field "arguments" has ${pairs.length} requests`;
    return { faults: [{ field: 'filtered_resps', message }] };
  }
  const half = pairs.length / 2;
  const mutual = isMutual(pairs);
  const asked = mutual ? pairs.slice(0, half) : pairs;
  const inPrompts = asked.length > 1 && new Set(asked.map(({ text }) => text)).size === 1;
  return {
    options: asked.map(({ prompt, text }) => (inPrompts ? prompt : text)),
    scores: scores.slice(0, asked.length),
    unconditional: mutual ? scores.slice(half) : null,
    inPrompts,
  };
}

interface Pair {
  readonly prompt: string;
  readonly text: string;
}

function isMutual(pairs: readonly Pair[]): boolean {
  const half = pairs.length / 2;
  if (!Number.isInteger(half) || half < 2) return false;
  return pairs
    .slice(0, half)
    .every((pair, k) => pair.prompt !== '' && pairs[half + k]?.prompt === '' && pairs[half + k]?.text === pair.text);
}

/** From `{gen_args_0: {arg_0, arg_1}, ...}`, or from a list of lists, as older releases wrote it. */
function argumentPairs(value: RowValue | undefined): Pair[] | string {
  const expected = 'expected a prompt and an option (arg_0, arg_1) for every request';
  if (value === undefined) return `the field is missing; ${expected}`;
  const entries = isRowObject(value)
    ? Object.keys(value).map((_, k) => value[`gen_args_${k}`])
    : Array.isArray(value)
      ? (value as readonly RowValue[])
      : undefined;
  if (entries === undefined) return expected;
  const pairs: Pair[] = [];
  for (const [k, entry] of entries.entries()) {
    const [prompt, text] = isRowObject(entry) ? [entry.arg_0, entry.arg_1] : Array.isArray(entry) ? entry : [];
    if (isRowObject(text))
      return 'the task lets the model write (generate_until); only multiple-choice tasks have scores of options';
    if (typeof prompt !== 'string' || typeof text !== 'string') return `${expected}, found none for request ${k}`;
    pairs.push({ prompt, text });
  }
  return pairs;
}

/** The log-probability of each response `[log-probability, whether it is the most probable text]`. */
function responses(value: RowValue | undefined): number[] | string {
  const expected = 'expected [log-probability, is_greedy] for every option';
  if (!Array.isArray(value)) return value === undefined ? `the field is missing; ${expected}` : expected;
  const numbers = (value as readonly RowValue[]).map((each) => (Array.isArray(each) ? logNumber(each[0]) : undefined));
  const bad = numbers.indexOf(undefined);
  if (bad < 0) return numbers as number[];
  return `response ${bad + 1} is ${JSON.stringify(value[bad])?.slice(0, 60)}; ${expected}`;
}
