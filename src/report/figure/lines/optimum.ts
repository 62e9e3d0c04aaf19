import type { scaleLinear } from 'd3-scale';
import { mutedText, text } from '../figure-frame.js';
import { type Look, mark } from '../mark.js';
import { paint } from '../palette.js';
import { element, escapeXml } from '../svg-element.js';

/**
 * A point of a curve with a piece of its tangent. Hollow, with a note, where it lies at the end of the axis and not
 * in a valley.
 */
export interface Optimum {
  readonly x: number;
  readonly y: number;
  readonly slope: number;
  readonly limit: boolean;
  readonly hint: string;
  /** What the limit is called; it stands once in a panel. */
  readonly note: string | null;
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;

/** Pixels of the tangent. */
const TANGENT = 24;

/** The mark with a piece of the tangent through it: level in a valley, rising where the least value is at the end. */
export function drawOptimum(optimum: Optimum, look: Look, { x, y }: { readonly x: Scale; readonly y: Scale }): string {
  const [at, up] = [x(optimum.x), y(optimum.y)];
  const rise = (optimum.slope * (x.invert(TANGENT) - x.invert(0)) * (y(1) - y(0))) / TANGENT;
  const length = TANGENT / Math.hypot(1, rise);
  const [from, to] = [optimum.limit ? 0 : -length / 2, optimum.limit ? length * 2 : length / 2];
  const stroke = { ...paint({ stroke: look.color }), 'stroke-width': 1.2 };
  return element(
    'g',
    {},
    element('title', {}, escapeXml(optimum.hint)),
    element('line', { x1: at + from, y1: up + from * rise, x2: at + to, y2: up + to * rise, ...stroke }),
    mark(at, up, look, { size: optimum.limit ? 46 : 28, hollow: optimum.limit ?? false }),
  );
}

/** The name of the limit, below the lowest of the marks that are there. */
export function limitNote(series: ReadonlyArray<{ readonly optimum?: Optimum }>, x: Scale, y: Scale): string {
  const limits = series.flatMap(({ optimum }) => (optimum?.note ? [{ ...optimum, note: optimum.note }] : []));
  const [lowest] = limits.sort((a, b) => a.y - b.y);
  if (lowest === undefined) return '';
  const [at, up] = [x(lowest.x) + 9, Math.min(y(lowest.y) + 14, (y.range()[0] ?? 0) - 4)];
  const halo = { 'font-size': 11, ...paint({ fill: 'paper', stroke: 'paper' }), 'stroke-width': 4 };
  return text(at, up, lowest.note, halo) + mutedText(at, up, lowest.note, 'start');
}
