import { JsonReader } from './parse-json.js';

/**
 * Offset in a JSON text of the value that a field has in the object that begins at `start`; where the row lacks it, of
 * the innermost object or list on the way to it. The names of fields are those of `fieldOf`.
 */
export function jsonFieldOffset(text: string, start: number, field: string): number {
  const own = memberOffset(text, start, field);
  if (own !== null) return own;
  let at = start;
  for (const step of field.split('.')) {
    const next = memberOffset(text, at, step);
    if (next === null) break;
    at = next;
  }
  return at;
}

/** Where the value of a key begins in the object at `start`; null when there is no such key, or no object. */
export function memberOffset(text: string, start: number, key: string): number | null {
  const reader = new JsonReader(text, { allowNonFinite: true });
  reader.position = start;
  if (!reader.accept('{')) return null;
  while (!reader.accept('}')) {
    reader.skipSpace();
    const name = reader.readValue(0);
    reader.accept(':');
    reader.skipSpace();
    if (name === key) return reader.position;
    reader.readValue(0);
    reader.accept(',');
  }
  return null;
}
