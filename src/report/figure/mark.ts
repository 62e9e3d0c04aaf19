import { symbol, symbolCircle, symbolCross, symbolDiamond, symbolSquare, symbolTriangle, symbolWye } from 'd3-shape';
import { mutedText } from './figure-frame.js';
import { type Color, paint } from './palette.js';
import { element } from './svg-element.js';

/** How a series looks: colour, dash and marker all differ, so that any one of them is enough. */
export interface Look {
  readonly color: Color;
  readonly dash: string;
  readonly shape: number;
}

const SHAPES = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross, symbolWye];
const OTHERS: readonly Look[] = [
  { color: 'green', dash: '7 2', shape: 2 },
  { color: 'purple', dash: '2 3', shape: 4 },
  { color: 'ochre', dash: '9 3 2 3', shape: 5 },
  { color: 'sky', dash: '5 2', shape: 3 },
];
const FIXED: Readonly<Record<string, Look>> = {
  'own-base': { color: 'muted', dash: '1 3', shape: 4 },
  vanilla: { color: 'vermilion', dash: '2 3', shape: 5 },
  daca: { color: 'ochre', dash: '6 3', shape: 1 },
  'full-kl': { color: 'purple', dash: '3 2', shape: 2 },
  supportcal: { color: 'blue', dash: 'none', shape: 0 },
  'oracle-ts': { color: 'muted', dash: '9 3 2 3', shape: 3 },
};

/** The same method looks the same in every figure; `index` tells several M, or methods without a look of their own, apart. */
export function methodLook(method: string, index = 0): Look {
  const fixed = FIXED[method];
  return fixed !== undefined && index === 0 ? fixed : OTHERS[(index + OTHERS.length - 1) % OTHERS.length]!;
}

/** A marker; hollow for what is no measured value (an optimum at infinity). */
export function mark(x: number, y: number, { color, shape }: Look, size = 42, hollow = false): string {
  const path = symbol(SHAPES[shape % SHAPES.length]!, size).digits(1)()!;
  const colors = hollow ? paint({ fill: 'paper', stroke: color }) : paint({ fill: color, stroke: 'paper' });
  return element('path', {
    d: path,
    transform: `translate(${round(x)} ${round(y)})`,
    ...colors,
    'stroke-width': hollow ? 1.6 : 0.8,
  });
}

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

function round(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError(`a figure needs finite numbers, got ${value}`);
  return Math.round(value * 100) / 100;
}
