import { memberOffset } from './json-field-offset.js';
import { JsonFault, JsonReader } from './parse-json.js';

/**
 * Offset of what stands at `rows` in the object of a JSON text (`data`, `data.train`); the beginning without `rows`.
 *
 * @param text valid JSON
 * @throws JsonFault there is no such field; it names those that are there
 */
export function rowsOffset(text: string, rows: string | undefined): number {
  if (rows === undefined) return 0;
  const own = memberOffset(text, 0, rows);
  if (own !== null) return own;
  let at = 0;
  for (const step of rows.split('.')) {
    const next = memberOffset(text, at, step);
    if (next === null) throw new JsonFault(`there is no field "${step}" for \`rows: ${rows}\`${namesAt(text, at)}`, at);
    at = next;
  }
  return at;
}

function namesAt(text: string, offset: number): string {
  const reader = new JsonReader(text, { allowNonFinite: true });
  reader.position = offset;
  const value = reader.readValue(0);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return ', which is for an object';
  return `; those there are: ${Object.keys(value).slice(0, 10).join(', ')}`;
}
