import { plain } from './plain.js';
import { WAYS_OF_ASKING } from './ways-of-asking.js';

/** Names of the ways of asking, beside plain prompts, whose scores `supportcal import` can bring. */
export function importableNames(): string[] {
  return WAYS_OF_ASKING.filter((way) => way.importable && way !== plain).map(({ name }) => name);
}
