import { SupportCalError } from '../../errors/supportcal-error.js';
import type { RowObject } from '../../formats/row/source-row.js';
import type { LogitUnit } from './from-unit.js';

/** Where a file keeps the option scores: one list, K numbered columns in option order, or lists of K orders. */
export type LogitColumns =
  | { readonly kind: 'list' }
  /** K lists of K scores in one field. */
  | { readonly kind: 'rotations' }
  | { readonly kind: 'numbered'; readonly columns: readonly string[] };

const PREFIXES: Readonly<Record<LogitUnit, readonly string[]>> = {
  logits: ['logit', 'logits', 'z'],
  logprobs: ['logprob', 'logprobs', 'logit', 'logits', 'z'],
  probabilities: ['prob', 'probs', 'probability', 'p', 'logit', 'logits', 'z'],
};

/**
 * Settled by the first row of a table; throws bad-input when there are no such columns or their numbers leave a gap.
 */
export function logitColumns(row: RowObject, unit: LogitUnit, file: string): LogitColumns {
  if (Object.hasOwn(row, 'logits')) return { kind: 'list' };
  for (const prefix of PREFIXES[unit]) {
    const numbered = Object.keys(row).flatMap((name) => {
      const [, word, number] = /^([a-z]+)[_.\-[ ]?(\d+)\]?$/i.exec(name) ?? [];
      return word?.toLowerCase() === prefix ? [{ name, number: Number(number) }] : [];
    });
    numbered.sort((a, b) => a.number - b.number);
    const first = numbered[0]?.number;
    if (first === undefined) continue;
    if (first > 1 || numbered.some(({ number }, n) => number !== first + n)) {
      const names = numbered.map(({ name }) => name).join(', ');
      const message = `the numbered columns must run from 0 (or 1) without a gap, found ${names}`;
      throw new SupportCalError('bad-input', { file, message });
    }
    return { kind: 'numbered', columns: numbered.map(({ name }) => name) };
  }
  const found = Object.keys(row).slice(0, 40).join(', ');
  const message = `expected a list column "logits" or numbered columns such as "logit_0", "logit_1"; found: ${found}`;
  throw new SupportCalError('bad-input', { file, message });
}
