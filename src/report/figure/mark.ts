import { symbol, symbolCircle, symbolCross, symbolDiamond, symbolSquare, symbolTriangle, symbolWye } from 'd3-shape';
import { type Color, paint } from './palette.js';
import { element } from './svg-element.js';

/** How a series looks: colour, dash and marker all differ, so that any one of them is enough. */
export interface Look {
  readonly color: Color;
  readonly dash: string;
  readonly shape: number;
}

const SHAPES = [symbolCircle, symbolSquare, symbolTriangle, symbolDiamond, symbolCross, symbolWye];
const LAST: Look = { color: 'sky', dash: '5 2', shape: 3 };
const OTHERS: readonly Look[] = [
  { color: 'green', dash: '7 2', shape: 2 },
  { color: 'purple', dash: '2 3', shape: 4 },
  { color: 'ochre', dash: '9 3 2 3', shape: 5 },
  LAST,
];
const FIXED: Readonly<Record<string, Look>> = {
  'own-base': { color: 'muted', dash: '1 3', shape: 4 },
  vanilla: { color: 'vermilion', dash: '2 3', shape: 5 },
  daca: { color: 'ochre', dash: '6 3', shape: 1 },
  'full-kl': { color: 'purple', dash: '3 2', shape: 2 },
  supportcal: { color: 'blue', dash: 'none', shape: 0 },
  'oracle-ts': { color: 'muted', dash: '9 3 2 3', shape: 3 },
};

/**
 * The look of a method, which is one in every figure; `index` tells several M, or methods without a look of their own,
 * apart.
 */
export function methodLook(method: string, index = 0): Look {
  const fixed = FIXED[method];
  return fixed !== undefined && index === 0 ? fixed : (OTHERS[(index + OTHERS.length - 1) % OTHERS.length] ?? LAST);
}

export interface MarkForm {
  /** Its area; default 42. */
  readonly size?: number;
  readonly hollow?: boolean;
}

/**
 * A marker; hollow for what is no measured value (an optimum at infinity). Its shape is one of the definitions of the
 * figure.
 */
export function mark(
  x: number,
  y: number,
  { color, shape }: Look,
  { size = 42, hollow = false }: MarkForm = {},
): string {
  const colors = hollow ? paint({ fill: 'paper', stroke: color }) : paint({ fill: color, stroke: 'paper' });
  return element('use', { href: `#${shapeId(shape, size, hollow)}`, x, y, ...colors });
}

/** An attribute that puts a marker on every vertex of a line. */
export function lineMarkers({ color, shape }: Look): Record<string, string> {
  const marker = `url(#m${shape}-${color})`;
  return { 'marker-start': marker, 'marker-mid': marker, 'marker-end': marker };
}

/** The definitions that a figure's body refers to, each with an id that means the same in every figure. */
export function markDefinitions(body: string): string[] {
  const shapes = [...body.matchAll(/href="#s(\d)-([\d.]+)(h?)"/g)].map(([, shape, size, hollow]) =>
    element('path', {
      id: shapeId(Number(shape), Number(size), hollow === 'h'),
      d: shapePath(Number(shape), Number(size)),
      'stroke-width': hollow === 'h' ? 1.6 : 0.8,
    }),
  );
  const markers = [...body.matchAll(/url\(#m(\d)-(\w+)\)/g)].map(([, shape, color]) =>
    element(
      'marker',
      {
        id: `m${shape}-${color}`,
        viewBox: '-6 -6 12 12',
        markerWidth: 12,
        markerHeight: 12,
        markerUnits: 'userSpaceOnUse',
      },
      element('path', {
        d: shapePath(Number(shape), LINE_MARKER),
        ...paint({ fill: color as Color, stroke: 'paper' }),
        'stroke-width': 0.8,
      }),
    ),
  );
  return [...new Set([...shapes, ...markers])];
}

const LINE_MARKER = 26;

function shapeId(shape: number, size: number, hollow: boolean): string {
  return `s${shape % SHAPES.length}-${Math.round(size * 10) / 10}${hollow ? 'h' : ''}`;
}

function shapePath(shape: number, size: number): string {
  return symbol(SHAPES[shape % SHAPES.length], size).digits(1)() ?? '';
}
