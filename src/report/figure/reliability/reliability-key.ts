import { text } from '../figure-frame.js';
import { type Color, paint } from '../palette.js';
import { element } from '../svg-element.js';
import { drawWhiskers, whiskerPath } from './whisker.js';

/** The patterns of the two kinds of gap, which every figure that shows them defines. */
export const GAP_PATTERNS = { over: 'gap-over', under: 'gap-under' } as const;

/** Claimed too much: strokes on a tint, above the bar. Claimed too little: paper strokes on the bar itself. */
export const GAP_DEFINITIONS: readonly string[] = [
  hatch(GAP_PATTERNS.over, 'overconfident', 'overconfidentTint', 45),
  hatch(GAP_PATTERNS.under, 'paper', 'accuracy', -45),
];

/** What the parts of a reliability diagram mean, from left to right in as many lines as the width takes. */
export function reliabilityKey(at: { left: number; top: number; width: number }, banded: boolean) {
  const entries: [fill: string | null, color: Color, name: string][] = [
    [null, 'accuracy', 'right in so many per cent (bar)'],
    [`url(#${GAP_PATTERNS.over})`, 'overconfident', 'claimed beyond that'],
    [`url(#${GAP_PATTERNS.under})`, 'underconfident', 'right beyond what was claimed'],
  ];
  let [x, y] = [at.left, at.top];
  const place = (name: string) => {
    const size = 20 + name.length * 6.5 + 18;
    if (x > at.left && x + size > at.left + at.width) [x, y] = [at.left, y + 18];
    const start = x;
    x += size;
    return start;
  };
  const drawn = entries.map(([pattern, color, name]) => {
    const start = place(name);
    const paints =
      pattern === null ? paint({ fill: color, stroke: color }) : { ...paint({ stroke: color }), fill: pattern };
    return element('rect', { x: start, y: y - 10, width: 14, height: 11, ...paints }) + text(start + 20, y, name);
  });
  if (banded) {
    const start = place('95 % interval');
    drawn.push(drawWhiskers(whiskerPath(start + 6, [y + 2, y - 10], 3)), text(start + 18, y, '95 % interval'));
  }
  const pale = 'pale: few examples';
  const start = place(pale);
  drawn.push(text(start, y, pale));
  return { svg: drawn.join(''), height: y - at.top + 18 };
}

function hatch(id: string, color: Color, ground: Color, angle: number): string {
  return element(
    'pattern',
    { id, width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: `rotate(${angle})` },
    element('rect', { width: 5, height: 5, ...paint({ fill: ground }) }),
    element('line', { x1: 0, y1: 0, x2: 0, y2: 5, ...paint({ stroke: color }), 'stroke-width': 2 }),
  );
}
