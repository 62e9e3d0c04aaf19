import type { ModelRow, ReplyRow } from '../contract/scored-row.js';

const INT32_MAX = 2_147_483_647;

/**
 * What is wrong with a row that is about to be stored, or null. `ok` rows have K >= 2 finite logits; those of an
 * import, which has float64, may hold -Infinity, the logarithm of a probability of 0, beside at least one finite
 * number.
 */
export function rowFault(row: ModelRow, precision: 'float32' | 'float64'): string | null {
  if (row.id === '') return 'the id is empty';
  if (/\p{Surrogate}/u.test(row.id)) return 'the id holds half of a surrogate pair, which no file can store';
  const tokens = row.promptTokens;
  if (!Number.isInteger(tokens) || tokens < 0 || tokens > INT32_MAX) return `promptTokens is ${tokens}`;
  if (row.status === 'failed') return row.reason === '' ? 'a failed row needs a reason' : null;
  if (row.status === 'replied') return replyFault(row);
  if (row.logits.length < 2) return `${row.logits.length} option logits came; at least 2 are needed`;
  const stored = precision === 'float32' ? Math.fround : (value: number) => value;
  const isImpossible = (value: number) => precision === 'float64' && value === Number.NEGATIVE_INFINITY;
  if (Array.from(row.logits).every(isImpossible)) return 'every option has the probability 0';
  for (let k = 0; k < row.logits.length; k++) {
    if (!Number.isFinite(stored(row.logits[k]!)) && !isImpossible(row.logits[k]!))
      return `the logit of option ${k} is ${row.logits[k]}, not a finite ${precision} number`;
  }
  if (row.logZ === Number.POSITIVE_INFINITY || row.logZ === Number.NEGATIVE_INFINITY) return `logZ is ${row.logZ}`;
  if (row.optionMass === Number.POSITIVE_INFINITY || row.optionMass < 0) return `optionMass is ${row.optionMass}`;
  return untoldFault(row.untold ?? 0, row.logits.length);
}

function untoldFault(bits: number, options: number): string | null {
  if (bits === 0) return null;
  const all = options > 31 ? INT32_MAX : 2 ** options - 1;
  return Number.isInteger(bits) && bits > 0 && bits < all ? null : `untold is ${bits} of ${options} options`;
}

function replyFault({ parsed, seed, replyTokens, allowedMass = 0 }: ReplyRow): string | null {
  if (!Number.isInteger(replyTokens) || replyTokens < 0 || replyTokens > INT32_MAX)
    return `replyTokens is ${replyTokens}`;
  if (!Number.isInteger(seed) || seed < 0 || seed > INT32_MAX) return `the seed is ${seed}`;
  if (!(allowedMass >= 0 && allowedMass <= 1)) return `allowedMass is ${allowedMass}`;
  if (parsed === undefined) return 'the reply has not been read';
  const { verdict, answer, confidence } = parsed;
  if (verdict !== 'parsed') return answer === -1 ? null : `answer is ${answer}, but the verdict is ${verdict}`;
  if (!Number.isInteger(answer) || answer < 0) return `answer is ${answer}`;
  return confidence >= 0 && confidence <= 100 ? null : `confidence is ${confidence}`;
}
