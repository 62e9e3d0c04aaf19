import { isRowObject, kindOf, type RowValue, scalarText } from '../../formats/row/source-row.js';
import { compareStrings } from '../../numeric/string-order.js';

export interface MapOptions {
  /** The letters (or numbers) of the options of a row, in their order. */
  readonly keys: readonly string[];
  readonly options: readonly string[];
}

/**
 * The options of an object from letter to text, `{"A": "3", "B": "4"}`, in the order of the letters. An entry that is
 * null is no option: tables give every row the letters of the longest one.
 *
 * @returns the options, or what is wrong
 */
export function mapOptions(value: RowValue): MapOptions | { readonly fault: string } {
  if (!isRowObject(value)) return { fault: `expected an object from letter to option text, found ${shown(value)}` };
  const entries = Object.entries(value).filter(([, text]) => text !== null);
  const strange = entries.find(([key]) => !/^([A-Za-z]|\d{1,2})$/.test(key.trim()));
  if (strange !== undefined) return { fault: `the key ${JSON.stringify(strange[0])} is no letter and no number` };
  const options: [string, string][] = [];
  for (const [key, text] of entries) {
    const option = scalarText(text);
    if (typeof option !== 'string') return { fault: `option ${key} is ${shown(text)}; expected a text` };
    options.push([key.trim(), option]);
  }
  options.sort(([a], [b]) => a.length - b.length || compareStrings(a, b));
  return { keys: options.map(([key]) => key), options: options.map(([, text]) => text) };
}

function shown(value: RowValue): string {
  return kindOf(value) ?? JSON.stringify(typeof value === 'bigint' ? `${value}` : value).slice(0, 60);
}
