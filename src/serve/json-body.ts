import { HttpFault } from './http-fault.js';
import { MOST_LEVELS } from './service-settings.js';

/**
 * Refuses JSON of many levels before it is parsed: what walks through a value afterwards may do so by recursion. Text
 * in quotes is passed over.
 */
export function checkDepth(json: string): void {
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
