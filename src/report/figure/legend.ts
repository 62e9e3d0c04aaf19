import { mutedText } from './figure-frame.js';
import { type Look, mark } from './mark.js';
import { paint } from './palette.js';
import { element } from './svg-element.js';

export interface LegendEntry {
  readonly label: string;
  readonly look: Look;
  readonly line: boolean;
}

/** Entries from left to right, wrapped at the width; returns the height it took. */
export function legend(entries: readonly LegendEntry[], left: number, top: number, width: number) {
  let [x, y] = [left, top];
  const drawn = entries.map(({ label, look, line }) => {
    const size = 36 + label.length * 6.4 + 16;
    if (x > left && x + size > left + width) [x, y] = [left, y + 18];
    const stroke = { ...paint({ stroke: look.color }), 'stroke-width': 2, 'stroke-dasharray': look.dash };
    const entry =
      (line ? element('line', { x1: x, x2: x + 26, y1: y - 4, y2: y - 4, ...stroke }) : '') +
      mark(x + 13, y - 4, look) +
      mutedText(x + 32, y, label, 'start');
    x += size;
    return entry;
  });
  return { svg: drawn.join(''), height: y - top + 18 };
}
