import { scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { shortenName } from '../../text/plain-text.js';
import { axisTexts, mutedTexts, rules, text } from '../figure-frame.js';
import { type Look, lineMarkers } from '../mark.js';
import { paint } from '../palette.js';
import { element } from '../svg-element.js';
import { drawOptimum, limitNote, type Optimum } from './optimum.js';

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
  readonly optimum?: Optimum;
  /** Markers at the points; off for dense curves. */
  readonly markers?: boolean;
}

export interface LinePanel {
  readonly title: string;
  readonly series: readonly Series[];
}

/** Both ends of a vertical axis. */
export type Extent = readonly [low: number, high: number];

export interface PanelForm {
  readonly width: number;
  readonly height: number;
  /** null: the values of the panel decide. */
  readonly extent: Extent | null;
  readonly yTicks: boolean;
  readonly xTick: (value: number) => string;
  readonly small: boolean;
}

export type Scale = ReturnType<typeof scaleLinear<number, number>>;

/** Lines with bands of standard errors on their axes. Origin: top left of the plot. */
export function linePanel(panel: LinePanel, { width, height, extent, yTicks, xTick, small }: PanelForm): string {
  const xs = panel.series.flatMap(({ points }) => points.map(({ x }) => x));
  const x = scaleLinear([Math.min(...xs), Math.max(...xs)], [0, width]);
  const y = scaleLinear(extent ?? wide(valuesOf([panel])), [height, 0]);
  const [across, up] = [x.ticks(small ? 2 : 6), y.ticks(small ? 2 : 5)];
  const [yTick, shown] = [y.tickFormat(small ? 2 : 5), small ? across.filter((tick) => xTick(tick) !== '') : across];
  return [
    text(0, -8, shortenName(panel.title, Math.floor(width / (small ? 6 : 6.6))), {
      'font-weight': 600,
      ...(small ? { 'font-size': 11 } : {}),
    }),
    rules(
      'grid',
      up.map((tick) => [0, y(tick), width, y(tick)]),
    ),
    yTicks
      ? mutedTexts(
          'end',
          up.map((tick) => [-5, y(tick) + 4, yTick(tick)]),
        )
      : '',
    axisTexts(
      width,
      height + 13,
      shown.map((tick) => [x(tick), xTick(tick)]),
    ),
    rules('ink', [[0, height, width, height]]),
    ...panel.series.map((series) => band(series, x, y)),
    ...panel.series.map((series) => curve(series, { x, y, small })),
    limitNote(panel.series, x, y),
  ].join('');
}

/** Everything that panels show, with their bands and optima: what their common axis has to hold. */
export function valuesOf(panels: readonly LinePanel[]): number[] {
  return panels.flatMap(({ series }) =>
    series.flatMap(({ points, optimum }) => [
      ...points.flatMap((point) => (point.y === null ? [] : bandOf(point))),
      ...(optimum === undefined ? [] : [optimum.y]),
    ]),
  );
}

/** An axis from 0 to a round number above all values. */
export function fromZero(values: readonly number[]): Extent {
  const [low = 0, high = 1] = scaleLinear([0, Math.max(...values, 1e-9)], [1, 0])
    .nice(4)
    .domain();
  return [low, high];
}

function wide(values: readonly number[]): Extent {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.length === 0 ? [0, 1] : low === high ? [low, low + (Math.abs(low) || 1)] : [low, high];
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

function bandOf({ y, error, band: ends }: SeriesPoint): readonly [number, number] {
  return ends ?? [Math.max(0, (y ?? 0) - (error ?? 0)), (y ?? 0) + (error ?? 0)];
}

interface Plot {
  readonly x: Scale;
  readonly y: Scale;
  readonly small: boolean;
}

function curve({ points, look, markers = true, optimum }: Series, { x, y, small }: Plot): string {
  const draw = line<SeriesPoint>()
    .defined((point) => point.y !== null)
    .x((point) => x(point.x))
    .y((point) => y(point.y ?? 0));
  const path = draw.digits(1)(points);
  const stroke = { ...paint({ stroke: look.color }), 'stroke-width': small ? 1.5 : 2 };
  const marked = markers && !small ? lineMarkers(look) : {};
  return (
    (path ? element('path', { d: path, ...stroke, 'stroke-dasharray': look.dash, fill: 'none', ...marked }) : '') +
    (optimum ? drawOptimum(optimum, look, { x, y }) : '')
  );
}
