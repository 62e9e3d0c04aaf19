import { isUtf8 } from 'node:buffer';
import { JsonFault, JsonReader } from '../formats/json/parse-json.js';
import { isRowObject, type RowValue } from '../formats/row/source-row.js';
import { HttpFault } from './http-fault.js';
import { MOST_LEVELS } from './service-settings.js';

/** Refuses bodies that are packed: their length says nothing of what they unpack to. */
export function refuseUnreadable({ 'content-encoding': packed }: Readonly<Record<string, unknown>>): void {
  if (packed === undefined || packed === 'identity') return;
  throw new HttpFault(415, 'request', 'packed bodies (content-encoding) are not read; send the JSON as it is');
}

/**
 * The JSON of a body.
 *
 * @param how `exact`: as files of questions are read, with ids of any size as they stand, and repeated keys refused;
 *   `usual`: as JavaScript reads it
 * @throws HttpFault 400 with what is wrong
 */
export function asJson(body: Buffer, how: 'exact' | 'usual'): unknown {
  if (!isUtf8(body)) throw new HttpFault(400, 'request', 'the body is not UTF-8');
  const json = body.toString('utf8').replace(/^\ufeff/, '');
  checkDepth(json);
  try {
    return how === 'exact' ? withTextIds(new JsonReader(json).readAll()) : JSON.parse(json, withoutPrototypes);
  } catch (error) {
    if (error instanceof HttpFault) throw error;
    if (error instanceof JsonFault) throw new HttpFault(400, 'request', error.message);
    throw new HttpFault(400, 'request', `not valid JSON: ${(error as Error).message}`);
  }
}

/** Ids beyond 2^53 become their digits, since a number would be another one. */
function withTextIds(value: RowValue): RowValue {
  if (!isRowObject(value)) return value;
  const { id, questions } = value;
  return {
    ...value,
    ...(typeof id === 'bigint' && { id: String(id) }),
    ...(Array.isArray(questions) && { questions: questions.map(withTextIds) }),
  };
}

function withoutPrototypes(key: string, value: unknown): unknown {
  if (key !== '__proto__') return value;
  throw new HttpFault(400, 'request', 'a key is named __proto__, which no request needs');
}

/**
 * Refuses JSON of many levels before it is parsed: what walks through a value afterwards may do so by recursion. Text
 * in quotes is passed over.
 */
function checkDepth(json: string): void {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (quoted) {
      if (code === 0x5c) at++;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) quoted = true;
    else if (code === 0x7b || code === 0x5b) depth++;
    else if (code === 0x7d || code === 0x5d) depth--;
    if (depth > MOST_LEVELS)
      throw new HttpFault(400, 'request', `objects and lists are nested deeper than ${MOST_LEVELS} levels`);
  }
}
