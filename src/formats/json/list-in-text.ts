import type { RowValue } from '../row/source-row.js';
import { JsonFault, JsonReader } from './parse-json.js';

/** The list that a text is, else the text: CSV has no lists, so a cell may hold a JSON array. */
export function listInText(text: string): RowValue {
  if (!text.trimStart().startsWith('[')) return text;
  try {
    return new JsonReader(text).readAll();
  } catch (error) {
    if (error instanceof JsonFault) return text;
    throw error;
  }
}
