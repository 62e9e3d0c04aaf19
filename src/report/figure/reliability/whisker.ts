import { paint } from '../palette.js';
import { element, px } from '../svg-element.js';

/** An upright interval, with ends as wide as asked on both sides. */
export function whiskerPath(at: number, [low, high]: readonly [number, number], end: number): string {
  const ends = [low, high].map((y) => `M${px(at - end)} ${px(y)}h${px(2 * end)}`);
  return `M${px(at)} ${px(low)}V${px(high)}${end > 0 ? ends.join('') : ''}`;
}

/** Ink on a halo of paper, so that intervals stand out on the bars and beside them. */
export function drawWhiskers(path: string, thin = false): string {
  const [halo, line] = thin ? [2.2, 0.9] : [3.4, 1.3];
  return (
    element('path', { d: path, ...paint({ stroke: 'paper' }), 'stroke-width': halo, fill: 'none' }) +
    element('path', { d: path, ...paint({ stroke: 'ink' }), 'stroke-width': line, fill: 'none' })
  );
}
