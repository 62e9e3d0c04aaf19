import { listInText } from '../../formats/json/list-in-text.js';
import { type RowValue, scalarText } from '../../formats/row/source-row.js';
import type { SeveralAnswers } from './field-mapping.js';

/** The one answer of a label; several: it has more than one, of which the rule chooses none. */
export type OneAnswer = { readonly kind: 'one'; readonly value: RowValue } | { readonly kind: 'several' };

/**
 * The answer of a label that may be a list, as annotators give it. Equal answers are one, no answer is none. Where they
 * differ, `first` takes the first and `most` the one that is given most often, if no other is given as often.
 */
export function oneAnswer(value: RowValue, rule: SeveralAnswers): OneAnswer {
  if (!Array.isArray(value)) return { kind: 'one', value };
  const counts = new Map<string, { readonly value: RowValue; count: number }>();
  for (const item of value as readonly RowValue[]) {
    const text = scalarText(item)?.trim();
    // What is no single value is said of the label as a whole.
    if (text === undefined && item !== null) return { kind: 'one', value };
    if (text === undefined || text === '') continue;
    const entry = counts.get(text) ?? { value: item, count: 0 };
    entry.count++;
    counts.set(text, entry);
  }
  const answers = [...counts.values()];
  const [first, second] = answers;
  if (second === undefined || rule === 'first') return { kind: 'one', value: first?.value ?? null };
  const [most, next] = answers.sort((a, b) => b.count - a.count);
  const isClear = rule === 'most' && (most?.count ?? 0) > (next?.count ?? 0);
  return isClear ? { kind: 'one', value: most?.value ?? null } : { kind: 'several' };
}

/**
 * The 0-based position of the right option, from a list that says of each option whether it is right; null where none
 * is.
 *
 * @returns the answer, or what is wrong
 */
export function trueAnswer(
  value: RowValue,
  optionCount: number,
  rule: SeveralAnswers,
): OneAnswer | { readonly kind: 'wrong'; readonly message: string } {
  const list = typeof value === 'string' ? listInText(value) : value;
  if (list === null || list === '') return { kind: 'one', value: null };
  const truths = Array.isArray(list) ? (list as readonly RowValue[]).map(truthOf) : [];
  if (!Array.isArray(list) || truths.includes(undefined))
    return { kind: 'wrong', message: 'expected a list of 1 and 0, or true and false, one for each option' };
  if (truths.length !== optionCount)
    return { kind: 'wrong', message: `says of ${truths.length} options which is right; the row has ${optionCount}` };
  const right = truths.flatMap((isRight, k) => (isRight ? [k] : []));
  return right.length > 1 && rule !== 'first' ? { kind: 'several' } : { kind: 'one', value: right[0] ?? null };
}

/** Undefined: it says neither. */
function truthOf(value: RowValue): boolean | undefined {
  const text = scalarText(value)?.trim().toLowerCase() ?? '';
  return ['1', '1.0', 'true'].includes(text) ? true : ['0', '0.0', 'false'].includes(text) ? false : undefined;
}
