import { decodeHTMLStrict } from 'entities';
import type { DatasetYaml } from '../../config/dataset-schema.js';
import { isRowObject, type RowObject, type RowValue, setField } from '../../formats/row/source-row.js';

type DecodeRule = 'unicode-escapes' | 'html' | 'trim';

/**
 * What `decode:` may do to the texts of a field; nothing else is ever changed in them.
 *
 * - `unicode-escapes`: the six characters `\u2019` become the one that they stand for (two of them a surrogate pair);
 *   half of a pair on its own, and every other backslash, stay as they are.
 * - `html`: entities that end in a semicolon (`&amp;`, `&#039;`, `&#x27;`; the names of the HTML standard), once:
 *   `&amp;lt;` becomes `&lt;`.
 * - `trim`: white space at both ends goes.
 */
const RULES: Readonly<Record<DecodeRule, (text: string) => string>> = {
  'unicode-escapes': unicodeEscapes,
  html: (text) => (text.includes('&') ? decodeHTMLStrict(text) : text),
  trim: (text) => text.trim(),
};

/** Decodes the fields of a row before anything else looks at them; a field that is not there is named to `missing`. */
export type RowDecoder = (row: RowObject, missing: (field: string) => void) => RowObject;

/** The rules of `decode:`, each field's in their order; null when there are none. Lists are decoded item by item. */
export function rowDecoder(decode: DatasetYaml['decode']): RowDecoder | null {
  if (decode === undefined) return null;
  const fields = Object.entries(decode).map(([field, rules]) => {
    const steps = [rules].flat().map((rule) => RULES[rule]);
    return { field, apply: (text: string) => steps.reduce((decoded, step) => step(decoded), text) };
  });
  return (row, missing) => {
    let decoded = row;
    for (const { field, apply } of fields) {
      const next = Object.hasOwn(row, field)
        ? withStep(decoded, [field], apply)
        : withStep(decoded, field.split('.'), apply);
      if (next === undefined) missing(field);
      else decoded = next;
    }
    return decoded;
  };
}

function withStep(row: RowObject, path: readonly string[], apply: (text: string) => string): RowObject | undefined {
  const [step = '', ...rest] = path;
  const own = Object.hasOwn(row, step) ? row[step] : undefined;
  const value = own === undefined ? undefined : within(own, rest, apply);
  if (value === undefined) return undefined;
  const copy: Record<string, RowValue> = {};
  for (const [key, kept] of Object.entries(row)) setField(copy, key, key === step ? value : kept);
  return copy;
}

function within(value: RowValue, path: readonly string[], apply: (text: string) => string): RowValue | undefined {
  if (Array.isArray(value)) {
    const items = (value as readonly RowValue[]).map((item) => within(item, path, apply));
    return items.includes(undefined) ? undefined : (items as RowValue[]);
  }
  if (path.length === 0) return typeof value === 'string' ? apply(value) : value;
  return isRowObject(value) ? withStep(value, path, apply) : undefined;
}

function unicodeEscapes(text: string): string {
  if (!text.includes('\\u')) return text;
  const pair = /\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u((?!d[89a-f])[0-9a-f]{4})/gi;
  return text.replace(pair, (_, high = '', low = '', single?: string) => {
    const units = single === undefined ? [high, low] : [single];
    return String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16)));
  });
}
