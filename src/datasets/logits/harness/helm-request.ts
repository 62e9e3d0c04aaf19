import type { Fault } from '../../../errors/supportcal-error.js';
import { isRowObject, type RowObject, type RowValue, scalarText } from '../../../formats/row/source-row.js';
import { logNumber } from './log-number.js';

/** One request of a run of HELM: how probable one option is after a question, or alone. */
export interface HelmRequest {
  readonly id: string;
  readonly input: string;
  readonly options: readonly string[];
  /** The numbers of the right options, from 0. */
  readonly right: readonly number[];
  /** The option that is asked for, from 0. */
  readonly option: number;
  readonly mode: 'original' | 'calibration';
  /** Which draw of solved examples stands before it, from 0. */
  readonly trial: number;
  /** Whether the question was changed on purpose (typos, other names). */
  readonly changed: boolean;
  readonly prompt: string;
  /** Log-probability of the option's tokens; NaN where the log has none. */
  readonly score: number;
  readonly tokens: number;
  readonly absent: string | undefined;
}

/** Reads one entry of `request_states`, or says what is wrong with it. */
export function helmRequest(values: RowObject, row: string): HelmRequest | { readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const { instance, request, result, request_mode: mode = 'original' } = values;
  const question = isRowObject(instance) ? questionOf(instance) : 'expected the question of the request';
  if (typeof question === 'string') faults.push({ field: 'instance', row, message: question });
  const id = typeof question === 'string' ? row : question.id;
  const add = (field: string, message: string) => faults.push({ field, row: id, message });
  const option = values.reference_index;
  const trial = logNumber(values.train_trial_index ?? 0);
  if (typeof option !== 'number')
    add(
      'reference_index',
      `the run asks for one letter and logs only the probability of the one that was taken; ${ADVICE}`,
    );
  if (trial === undefined) add('train_trial_index', 'expected the number of the trial, from 0');
  if (mode !== 'original' && mode !== 'calibration') add('request_mode', 'expected "original" or "calibration"');
  const prompt = isRowObject(request) ? request.prompt : undefined;
  if (typeof prompt !== 'string') add('request', 'expected a request with its prompt');
  const text = typeof question === 'string' || typeof option !== 'number' ? undefined : question.options[option];
  if (typeof option === 'number' && typeof question !== 'string' && text === undefined)
    add('reference_index', `${option} is the number of no reference (0 to ${question.options.length - 1})`);
  if (faults.length > 0 || typeof question === 'string' || typeof prompt !== 'string' || typeof option !== 'number')
    return { faults };
  const changed = isRowObject(instance) && isRowObject(instance.perturbation);
  const asked = { ...question, option, mode: mode as HelmRequest['mode'], trial: trial ?? 0, changed, prompt };
  return { ...asked, ...scoreOf(result, text ?? '') };
}

const ADVICE = 'run it with method=multiple_choice_separate_original';

function questionOf({
  id,
  input,
  references,
}: RowObject): Pick<HelmRequest, 'id' | 'input' | 'options' | 'right'> | string {
  const name = scalarText(id ?? null) ?? null;
  if (name === null) return 'the question has no id; is this a scenario_state.json of HELM?';
  const text = isRowObject(input) && typeof input.text === 'string' ? input.text : null;
  const list = Array.isArray(references) ? (references as readonly RowValue[]).filter(isRowObject) : [];
  const options = list.map(({ output }) =>
    isRowObject(output) && typeof output.text === 'string' ? output.text : null,
  );
  if (text === null || options.includes(null)) return 'expected an input with a text, and references with texts';
  const right = list.flatMap(({ tags }, k) => (Array.isArray(tags) && tags.includes('correct') ? [k] : []));
  return { id: name, input: text, options: options as string[], right };
}

type Scored = Pick<HelmRequest, 'score' | 'tokens' | 'absent'>;

/**
 * The log-probability of the last tokens of the echoed prompt that together are the option's text. HELM counts as many
 * as its tokenizer makes of the text after a space, which are the same ones.
 */
function scoreOf(result: RowValue | undefined, option: string): Scored {
  const none = (absent: string): Scored => ({ score: Number.NaN, tokens: Number.NaN, absent });
  const completions = isRowObject(result) ? result.completions : undefined;
  const [first] = Array.isArray(completions) ? (completions as readonly RowValue[]) : [];
  if (!isRowObject(result) || result.success === false || !isRowObject(first)) return none('the request has no answer');
  const tokens = Array.isArray(first.tokens) ? (first.tokens as readonly RowValue[]).filter(isRowObject) : [];
  const wanted = option.trim();
  let text = '';
  let score = 0;
  for (let at = tokens.length - 1; at >= 0; at--) {
    const { text: piece, logprob } = tokens[at] ?? {};
    const value = logNumber(logprob);
    if (typeof piece !== 'string' || value === undefined) return none('a token of the answer has no text or number');
    if (value > TOLERANCE) return none(`a token of the answer has the log-probability ${value}, above 0`);
    text = piece + text;
    score += value;
    if (text.trim() === wanted) return { ...withSpace(tokens, { at, text, score }), absent: undefined };
    if (text.trim().length > wanted.length + MOST_MERGED) break;
  }
  return none(`the tokens of the echoed prompt do not end in the option ${JSON.stringify(option.slice(0, 60))}`);
}

/** HELM counts the space before an option too, where it is a token of its own. */
function withSpace(
  tokens: readonly RowObject[],
  { at, text, score }: { readonly at: number; readonly text: string; readonly score: number },
): { score: number; tokens: number } {
  const { text: before, logprob } = tokens[at - 1] ?? {};
  const space = !/^\s/.test(text) && typeof before === 'string' && before !== '' && before.trim() === '';
  const count = tokens.length - at;
  return space ? { score: score + (logNumber(logprob) ?? Number.NaN), tokens: count + 1 } : { score, tokens: count };
}

/** Rounding of float32 numbers may carry a log-probability a little over 0. */
const TOLERANCE = 1e-6;
/** Characters of the text before an option that may be in one token with its beginning. */
const MOST_MERGED = 64;
