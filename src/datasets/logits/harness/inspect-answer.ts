import { isRowObject, type RowObject, type RowValue } from '../../../formats/row/source-row.js';
import { logNumber } from './log-number.js';

interface Token {
  readonly text: string;
  /** Log-probability of each candidate in its place, the token itself among them. */
  readonly candidates: ReadonlyMap<string, number>;
}

/**
 * The log-probabilities of the letters A, B, ... in the place where the reply names its answer, NaN for a letter that
 * is not among the logged candidates; all NaN for a reply without an answer. A text says why the log has none at all.
 */
export function answerScores(values: RowObject, count: number): number[] | string {
  const choices = isRowObject(values.output) ? values.output.choices : undefined;
  const [first] = Array.isArray(choices) ? (choices as readonly RowValue[]) : [];
  const logprobs = isRowObject(first) ? first.logprobs : undefined;
  const content = isRowObject(logprobs) ? logprobs.content : undefined;
  if (!Array.isArray(content))
    return 'has no log-probabilities; evaluate with --logprobs --top-logprobs 20 (logprobs=True, top_logprobs=20)';
  const tokens = (content as readonly RowValue[]).map(tokenOf);
  const wrong = tokens.indexOf(null);
  if (wrong >= 0) return `token ${wrong + 1} has no text, log-probability or candidates; evaluate with top_logprobs=20`;
  const letters = Array.from({ length: count }, (_, k) => String.fromCharCode(65 + k));
  const token = answerToken(tokens as Token[], letters);
  if (token === null) return letters.map(() => Number.NaN);
  const lead = token.text.slice(0, token.text.length - token.text.trimStart().length);
  return letters.map((letter) => token.candidates.get(`${lead}${letter}`) ?? Number.NaN);
}

function tokenOf(value: RowValue): Token | null {
  if (!isRowObject(value)) return null;
  const { token, logprob, top_logprobs: top } = value;
  const own = logNumber(logprob);
  if (typeof token !== 'string' || own === undefined || !Array.isArray(top)) return null;
  const candidates = new Map<string, number>();
  for (const each of top as readonly RowValue[]) {
    const number = isRowObject(each) ? logNumber(each.logprob) : undefined;
    if (!isRowObject(each) || typeof each.token !== 'string' || number === undefined) return null;
    // Several tokens may be shown as the same text: the most probable of them counts, wherever it stands.
    candidates.set(each.token, Math.max(number, candidates.get(each.token) ?? number));
  }
  if (!candidates.has(token)) candidates.set(token, own);
  return { text: token, candidates };
}

/** The token that is a letter after the last "ANSWER:", or the first one of a reply that begins with a letter. */
function answerToken(tokens: readonly Token[], letters: readonly string[]): Token | null {
  const isLetter = ({ text }: Token) => letters.includes(text.trimStart());
  const whole = tokens.map(({ text }) => text).join('');
  const marks = [...whole.matchAll(/answer\s*:/gi)];
  const after = marks.at(-1);
  const start = after === undefined ? 0 : after.index + after[0].length;
  let at = 0;
  for (const token of tokens) {
    at += token.text.length;
    if (at <= start || token.text.trim() === '') continue;
    return isLetter(token) ? token : null;
  }
  return null;
}
