import type { Place } from '../row/fault-places.js';

/**
 * Line and column of offsets in a text, which must be asked for in ascending order: each line break is counted once.
 */
export function lineCounter(text: string): (offset: number) => Place {
  let [line, start] = [1, 0];
  return (offset) => {
    for (let at = text.indexOf('\n', start); at >= 0 && at < offset; at = text.indexOf('\n', start)) {
      line++;
      start = at + 1;
    }
    return { line, column: offset - start + 1 };
  };
}
