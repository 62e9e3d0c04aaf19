import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { shortenName } from '../text/plain-text.js';
import { figureFrame, mutedText, mutedTexts, rules, text } from './figure-frame.js';
import { legend } from './legend.js';
import { type Look, lineMarkers, mark } from './mark.js';
import { paint } from './palette.js';
import { element, escapeXml } from './svg-element.js';

interface SeriesPoint {
  readonly x: number;
  /** null: nothing was measured here; the line has a gap. */
  readonly y: number | null;
  /** Half the height of the band around y. */
  readonly error?: number | null;
  /** Lower and upper end of the band, where it is not the same on both sides. */
  readonly band?: readonly [number, number];
}

export interface Series {
  readonly label: string;
  readonly look: Look;
  readonly points: readonly SeriesPoint[];
  /**
   * A point of its own with a piece of the tangent there: an optimum. Hollow, with a note, where it lies at the end of
   * the axis and not in a valley.
   */
  readonly optimum?: {
    readonly x: number;
    readonly y: number;
    readonly slope: number;
    readonly limit: boolean;
    readonly hint: string;
    /** What the limit is called; it stands once in a panel. */
    readonly note: string | null;
  };
  /** Markers at the points; off for dense curves. */
  readonly markers?: boolean;
}

export interface LinePanel {
  readonly title: string;
  readonly series: readonly Series[];
}

export interface LineFigure {
  readonly id: string;
  readonly title: string;
  readonly alt: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xTick: (value: number) => string;
  /** One scale for all panels, or each its own where the sizes have nothing to do with each other. */
  readonly sharedY: boolean;
  readonly fromZero: boolean;
  /** Every panel has its own horizontal scale. */
  readonly ownX?: boolean;
  readonly panels: readonly LinePanel[];
}

/** Pixels of the tangent at an optimum. */
const TANGENT = 30;
const SIZE = { width: 210, height: 150, head: 26, foot: 34, left: 50, gap: 18, top: 40, side: 16 } as const;

/** Small multiples of lines with bands of standard errors, up to four in a row, one legend below. */
export function linePanels(figure: LineFigure): string {
  const { panels } = figure;
  const across = Math.min(panels.length === 1 ? 1 : Math.max(2, Math.min(4, panels.length)), 4);
  const scale = panels.length === 1 ? 2.3 : panels.length === 2 ? 1.5 : 1;
  const [w, h] = [SIZE.width * scale, SIZE.height * Math.min(scale, 1.7)];
  const cell = { width: SIZE.left + w + SIZE.gap, height: SIZE.head + h + SIZE.foot };
  const width = Math.max(560, SIZE.side + across * cell.width);
  const rows = Math.ceil(panels.length / across);
  const ys = (list: readonly LinePanel[]) => list.flatMap((panel) => panel.series.flatMap(extentOf));
  const xs = (list: readonly LinePanel[]) =>
    list.flatMap(({ series }) => series.flatMap(({ points }) => points.map(({ x }) => x)));
  const drawn = panels.map((panel, i) => {
    const shown = xs(figure.ownX ? [panel] : panels);
    const x = scaleLinear([Math.min(...shown), Math.max(...shown)], [0, w]);
    const y = scaleLinear(domain(figure.sharedY ? ys(panels) : ys([panel]), figure.fromZero), [h, 0]).nice(4);
    const at = `translate(${SIZE.side + SIZE.left + (i % across) * cell.width} ${SIZE.top + SIZE.head + Math.floor(i / across) * cell.height})`;
    return element('g', { transform: at }, drawPanel(panel, figure, { x, y, w, h }));
  });
  const bottom = SIZE.top + rows * cell.height;
  const entries = uniqueByLabel(panels.flatMap(({ series }) => series)).map((each) => ({ ...each, line: true }));
  const key = legend(entries, SIZE.side, bottom + 22, width - 2 * SIZE.side);
  const axes = mutedText(SIZE.side, bottom + 2, `Across: ${figure.xLabel}. Up: ${figure.yLabel}.`, 'start');
  const height = bottom + 10 + key.height + 8;
  return figureFrame({ ...figure, width, height }, ...drawn, axes, key.svg);
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;

/** The plot of one panel: its scales, width and height. */
interface Plot {
  readonly x: Scale;
  readonly y: Scale;
  readonly w: number;
  readonly h: number;
}

function drawPanel(panel: LinePanel, figure: LineFigure, { x, y, w, h }: Plot): string {
  const yTick = y.tickFormat(4);
  const [across, up] = [x.ticks(w > 300 ? 8 : 4), y.ticks(4)];
  return (
    text(0, -9, shortenName(panel.title, Math.floor(w / 6.6)), { 'font-weight': 600 }) +
    rules(
      'grid',
      up.map((tick) => [0, y(tick), w, y(tick)]),
    ) +
    mutedTexts(
      'end',
      up.map((tick) => [-6, y(tick) + 4, yTick(tick)]),
    ) +
    mutedTexts(
      'middle',
      across.map((tick) => [x(tick), h + 15, figure.xTick(tick)]),
    ) +
    rules('ink', [[0, h, w, h]]) +
    panel.series.map((series) => band(series, x, y)).join('') +
    panel.series.map((series) => curve(series, x, y)).join('') +
    limitNote(panel, x, y)
  );
}

function band({ points, look }: Series, x: Scale, y: Scale): string {
  const withBand = area<SeriesPoint>()
    .defined((point) => point.y !== null && (point.error != null || point.band !== undefined))
    .x((point) => x(point.x))
    .y0((point) => y(bandOf(point)[0]))
    .y1((point) => y(bandOf(point)[1]));
  const path = withBand.digits(1)(points);
  return path ? element('path', { d: path, ...paint({ fill: look.color }), 'fill-opacity': 0.16 }) : '';
}

function bandOf({ y, error, band }: SeriesPoint): readonly [number, number] {
  return band ?? [(y ?? 0) - (error ?? 0), (y ?? 0) + (error ?? 0)];
}

function curve({ points, look, markers = true, optimum }: Series, x: Scale, y: Scale): string {
  const draw = line<SeriesPoint>()
    .defined((point) => point.y !== null)
    .x((point) => x(point.x))
    .y((point) => y(point.y ?? 0));
  const path = draw.digits(1)(points);
  const stroke = { ...paint({ stroke: look.color }), 'stroke-width': 2, 'stroke-dasharray': look.dash, fill: 'none' };
  return (
    (path ? element('path', { d: path, ...stroke, ...(markers ? lineMarkers(look) : {}) }) : '') +
    (optimum ? note(optimum, look, x, y) : '')
  );
}

/** The mark with a piece of the tangent through it: level in a valley, rising where the least value is at the end. */
function note(optimum: NonNullable<Series['optimum']>, look: Look, x: Scale, y: Scale): string {
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
    mark(at, up, look, { size: optimum.limit ? 60 : 34, hollow: optimum.limit ?? false }),
  );
}

/** The name of the limit, below the lowest of the marks that are there. */
function limitNote({ series }: LinePanel, x: Scale, y: Scale): string {
  const limits = series.flatMap(({ optimum }) => (optimum?.note ? [{ ...optimum, note: optimum.note }] : []));
  const [lowest] = limits.sort((a, b) => a.y - b.y);
  if (lowest === undefined) return '';
  const [at, up] = [x(lowest.x) + 9, Math.min(y(lowest.y) + 14, (y.range()[0] ?? 0) - 4)];
  const halo = { 'font-size': 11, ...paint({ fill: 'paper', stroke: 'paper' }), 'stroke-width': 4 };
  return text(at, up, lowest.note, halo) + mutedText(at, up, lowest.note, 'start');
}

function extentOf({ points, optimum }: Series): number[] {
  const values = points.flatMap((point) => (point.y === null ? [] : bandOf(point)));
  return optimum === undefined ? values : [...values, optimum.y];
}

function domain(values: readonly number[], fromZero: boolean): [number, number] {
  if (values.length === 0) return [0, 1];
  const low = Math.min(...values, ...(fromZero ? [0] : []));
  const high = Math.max(...values);
  return low === high ? [low, low + (Math.abs(low) || 1)] : [Math.max(low, fromZero ? 0 : low), high];
}

function uniqueByLabel(series: readonly Series[]): Series[] {
  return [...new Map(series.map((each) => [each.label, each])).values()];
}
