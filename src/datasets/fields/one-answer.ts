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
