import { createHash } from 'node:crypto';
import { isRowObject, type RowValue, scalarText } from '../../formats/row/source-row.js';
import { SHUFFLE_GENERATOR, shuffle } from '../../numeric/random/shuffle.js';
import { compareStrings } from '../../numeric/string-order.js';

import type { SeveralAnswers } from '../fields/field-mapping.js';

/** Name and version of the rule for the order of options from a truth map. */
export const TRUTH_ORDER = `sorted by code units, then ${SHUFFLE_GENERATOR} seeded by sha256 of seed and texts`;

export interface TruthOptions {
  readonly options: readonly string[];
  /** 0-based position of the one true option; null when none is true. */
  readonly label: number | null;
  /** More than one option is true, of which none was chosen. */
  readonly several?: boolean;
}

/**
 * Options and label from a map text -> truth: `{"Paris": 1, "Rome": 0}`, or the same as two lists, `{"choices":
 * ["Paris", "Rome"], "labels": [1, 0]}`. Such maps usually name the true option first, so the order is shuffled: it
 * depends on `seed` and the texts alone, not on the order in the file or on other rows.
 *
 * @returns options and label, or what is wrong
 */
export function truthOptions(
  value: RowValue,
  seed: number,
  several: SeveralAnswers = 'refuse',
): TruthOptions | { readonly fault: string } {
  const pairs = pairsOf(value);
  return 'fault' in pairs ? pairs : shuffled(several === 'first' ? withFirstTrue(pairs) : pairs, seed);
}

/** The pairs without the true ones behind the first: beside it they would count as wrong. */
function withFirstTrue(pairs: readonly Pair[]): Pair[] {
  const first = pairs.find(({ isTrue }) => isTrue);
  return pairs.filter((pair) => !pair.isTrue || pair === first);
}

/** The options of a row in a drawn order, from the text of the right one and those of the wrong ones. */
export function rightAndWrong(right: string, wrong: readonly string[], seed: number): TruthOptions {
  const pairs = [{ text: right, isTrue: true }, ...wrong.map((text) => ({ text, isTrue: false }))];
  return shuffled(pairs, seed);
}

function shuffled(pairs: readonly Pair[], seed: number): TruthOptions {
  const sorted = pairs.toSorted((a, b) => compareStrings(a.text, b.text) || Number(a.isTrue) - Number(b.isTrue));
  const texts = sorted.map((pair) => pair.text);
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, texts]))
    .digest();
  const drawn = Array.from(shuffle(sorted.length, digest.readUIntBE(0, 6)), (n) => sorted[n]!);
  const right = drawn.flatMap((pair, k) => (pair.isTrue ? [k] : []));
  const options = drawn.map((pair) => pair.text);
  return right.length > 1 ? { options, label: null, several: true } : { options, label: right[0] ?? null };
}

interface Pair {
  readonly text: string;
  readonly isTrue: boolean;
}

function pairsOf(value: RowValue): Pair[] | { readonly fault: string } {
  if (!isRowObject(value)) return { fault: 'expected an object from option text to 1 (true) or 0 (false)' };
  const { choices, labels } = value;
  const lists = Array.isArray(choices) && Array.isArray(labels);
  const texts: readonly RowValue[] = lists ? choices : Object.keys(value);
  const truths: readonly RowValue[] = lists ? labels : Object.values(value);
  if (texts.length !== truths.length) return { fault: `${texts.length} choices, but ${truths.length} labels` };
  const pairs: Pair[] = [];
  for (const [n, text] of texts.entries()) {
    const truth = scalarText(truths[n] ?? null);
    if (typeof text !== 'string') return { fault: `choice ${n + 1} is no text` };
    if (!/^([01](\.0)?|true|false)$/.test(truth ?? '')) {
      return { fault: `${JSON.stringify(text)}: expected 1 (true) or 0 (false), found ${JSON.stringify(truth)}` };
    }
    pairs.push({ text, isTrue: truth?.startsWith('1') || truth === 'true' });
  }
  return pairs;
}
