import { kindOf, type RowValue, scalarText } from '../../formats/row/source-row.js';
import type { LabelKind } from '../fields/field-mapping.js';
import type { LabelPosition } from '../options/option-labels.js';

/** What a label says about its row: no label, an option, or why it names none. */
export type LabelReading =
  | { readonly kind: 'unlabelled' }
  | { readonly kind: 'option'; readonly index: number }
  | { readonly kind: 'wrong'; readonly message: string };

export interface LabelRules {
  readonly as: LabelKind;
  readonly labelBase: 0 | 1 | undefined;
  readonly positionOf: LabelPosition;
}

/** Reads one label; `options` are the K option texts of its row. */
export function readLabel(value: RowValue, options: readonly string[], rules: LabelRules): LabelReading {
  const text = scalarText(value);
  if (text === undefined) return { kind: 'wrong', message: `a label must be one value, found ${kindOf(value)}` };
  if (text === null || text.trim() === '') return { kind: 'unlabelled' };
  const reading =
    rules.as === 'index' || rules.as === 'truth'
      ? readIndex(text, options, rules.as === 'truth' ? 0 : (rules.labelBase ?? 0))
      : rules.as === 'letter'
        ? readLetter(text, options, rules.positionOf)
        : readText(text, options);
  return reading.kind === 'wrong' && wholeNumber(text) === -1 ? { kind: 'unlabelled' } : reading;
}

/** `2`, `"2"` and `2.0` are 2; null for anything that is not a whole number. */
export function wholeNumber(text: string): number | null {
  const match = /^\s*([+-]?\d{1,15})(?:\.0*)?\s*$/.exec(text);
  return match ? Number(match[1]) : null;
}

function readIndex(text: string, options: readonly string[], base: 0 | 1): LabelReading {
  const value = wholeNumber(text);
  if (value === null) return { kind: 'wrong', message: `expected a whole number as label, found ${quoted(text)}` };
  // -1 marks hidden answers by convention, whatever the base.
  if (value === -1) return { kind: 'unlabelled' };
  const index = value - base;
  if (index >= 0 && index < options.length) return { kind: 'option', index };
  const range = `${base} to ${options.length - 1 + base} (labelBase ${base}, ${options.length} options)`;
  const other = value === base - 1 || (base === 0 && value === options.length) ? 1 - base : null;
  const advice = other === null ? '' : `; if the labels count from ${other}, write \`labelBase: ${other}\``;
  return { kind: 'wrong', message: `the label ${value} is out of range; expected ${range}${advice}` };
}

function readLetter(text: string, options: readonly string[], positionOf: LabelPosition): LabelReading {
  const index = positionOf(text);
  if (index >= 0 && index < options.length) return { kind: 'option', index };
  const why = index < 0 ? 'is not the letter of an option' : `is out of range for ${options.length} options`;
  return { kind: 'wrong', message: `the label ${quoted(text)} ${why}` };
}

function readText(text: string, options: readonly string[]): LabelReading {
  const [first, second] = equalOptions(text, options);
  if (first === undefined) {
    return { kind: 'wrong', message: `the label ${quoted(text)} equals no option: ${listed(options)}` };
  }
  if (second === undefined) return { kind: 'option', index: first };
  const equal = `options ${first + 1} and ${second + 1}`;
  const message = `the label ${quoted(text)} equals ${equal}; a text label cannot tell which`;
  return { kind: 'wrong', message };
}

/** Positions of the options that equal a text after NFC and trimming. */
export function equalOptions(text: string, options: readonly string[]): number[] {
  const wanted = comparable(text);
  const equal: number[] = [];
  options.forEach((option, k) => {
    if (comparable(option) === wanted) equal.push(k);
  });
  return equal;
}

function comparable(text: string): string {
  return text.normalize('NFC').trim();
}

function listed(options: readonly string[]): string {
  return options.map(quoted).join(', ').slice(0, 200);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
