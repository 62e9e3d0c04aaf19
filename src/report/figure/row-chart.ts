import { scaleLinear, scaleLog } from 'd3-scale';
import { shortenName } from '../text/plain-text.js';
import { figureFrame, mutedText, mutedTexts, rules, text } from './figure-frame.js';
import { type LegendEntry, legend } from './legend.js';
import { type Look, mark } from './mark.js';
import { paint } from './palette.js';
import { element, escapeXml, px } from './svg-element.js';

interface RowDot {
  /** null: no finite value; drawn hollow in the lane at the right edge. */
  readonly x: number | null;
  readonly low?: number | null;
  readonly high?: number | null;
  readonly look: Look;
  /** 1 is the usual marker. */
  readonly weight?: number;
  readonly hint: string;
}

/** A labelled row with one or more lines of dots. */
export interface ChartRow {
  readonly label: string;
  readonly lines: ReadonlyArray<readonly RowDot[]>;
  /** A bar from 0 to the first dot. */
  readonly stem?: boolean;
}

export interface RowChart {
  readonly id: string;
  readonly title: string;
  readonly alt: string;
  readonly xLabel: string;
  readonly scale: 'linear' | 'log';
  readonly rows: readonly ChartRow[];
  readonly legend: readonly LegendEntry[];
  /** A dashed line across all rows. */
  readonly reference?: { readonly x: number; readonly label: string };
  /** Heading of the lane of values that are not finite. */
  readonly lane?: string;
}

const LINE = 11;
const PAD = 12;
/** Width of the lane of values that are not finite. */
const LANE = 60;
const LEAST_PLOT = 200;

/** Rows of dots with whiskers on one horizontal axis: values compared by place, names written out. */
export function rowChart(chart: RowChart): string {
  const { rows, reference } = chart;
  const left = Math.min(180, 28 + 6.6 * Math.max(4, ...rows.map(({ label }) => label.length)));
  const laned = chart.lane !== undefined && rows.some(({ lines }) => lines.flat().some(({ x }) => x === null));
  const width = Math.max(420, left + LEAST_PLOT + (laned ? LANE : 0) + 24);
  const plot = width - left - (laned ? LANE : 0) - 24;
  const top = reference ? 66 : 50;
  const heights = rows.map(({ lines }) => Math.max(1, lines.length) * LINE + PAD);
  const bottom = top + heights.reduce((sum, each) => sum + each, 0);
  const x = scaleOf(chart, [left, left + plot]);
  let y = top;
  const drawn = rows.map((row, i) => {
    const [start, height] = [y, heights[i] ?? 0];
    y += height;
    const middle = start + height / 2;
    const label = text(left - 10, middle + 4, shortenName(row.label, 23), { 'text-anchor': 'end' });
    const rule = rules('grid', [[left, start, width - 20, start]]);
    const dots = row.lines.map((dots, n) => {
      const at = start + PAD / 2 + LINE * (n + 0.5);
      const lane = places(left + plot + LANE / 2, dots.filter((dot) => dot.x === null).length);
      return dots
        .map((dot, d) =>
          drawDot(dot, {
            y: at,
            x,
            lane: dot.x === null ? (lane.shift() ?? 0) : 0,
            stem: d === 0 && (row.stem ?? false),
          }),
        )
        .join('');
    });
    return rule + label + dots.join('');
  });
  const key = legend(chart.legend, 16, bottom + 64, width - 32);
  const height = bottom + 52 + (chart.legend.length > 0 ? key.height : 0) + 4;
  return figureFrame(
    { ...chart, width, height },
    axis(chart, x, { left, plot, top, bottom }),
    ...drawn,
    reference ? referenceLine(x(reference.x), reference.label, top, bottom) : '',
    laned ? mutedText(left + plot + LANE / 2, top - 6, chart.lane ?? '', 'middle') : '',
    chart.legend.length > 0 ? key.svg : '',
  );
}

type Scale = (value: number) => number;

/** Marks side by side around the middle of the lane, so that they can be counted. */
function places(middle: number, count: number): number[] {
  const step = Math.min(9, (LANE - 24) / count);
  return Array.from({ length: count }, (_, i) => middle + (i - (count - 1) / 2) * step);
}

/** Where a dot is drawn: its line, its lane if it is not finite, and whether a bar leads to it. */
interface DotPlace {
  readonly y: number;
  readonly x: Scale;
  readonly lane: number;
  readonly stem: boolean;
}

function drawDot(dot: RowDot, { y, x, lane, stem }: DotPlace): string {
  const size = 42 * (dot.weight ?? 1);
  if (dot.x === null) return element('g', {}, hint(dot), mark(lane, y, dot.look, { size, hollow: true }));
  const stroke = { ...paint({ stroke: dot.look.color }), 'stroke-width': (dot.weight ?? 1) > 1 ? 2 : 1.4 };
  const whisker =
    dot.low != null && dot.high != null
      ? element('path', { d: `M${px(x(dot.low))} ${px(y)}H${px(x(dot.high))}`, ...stroke })
      : '';
  const bar = stem ? element('path', { d: `M${px(x(0))} ${px(y)}H${px(x(dot.x))}`, ...stroke, 'stroke-width': 4 }) : '';
  return element('g', {}, hint(dot), bar, whisker, mark(x(dot.x), y, dot.look, { size }));
}

function hint({ hint: content }: RowDot): string {
  return element('title', {}, escapeXml(content));
}

/** Where the plot lies in the figure, and how wide it is. */
interface PlotArea {
  readonly left: number;
  readonly plot: number;
  readonly top: number;
  readonly bottom: number;
}

function axis(chart: RowChart, x: ReturnType<typeof scaleOf>, { left, plot, top, bottom }: PlotArea): string {
  const ticks = x.ticks(5);
  const lines = rules(
    'grid',
    ticks.map((tick) => [x(tick), top, x(tick), bottom]),
  );
  const names = mutedTexts(
    'middle',
    ticks.map((tick) => [x(tick), bottom + 16, tickText(tick)]),
  );
  const base = rules('ink', [[left, bottom, left + plot, bottom]]);
  return lines + names + base + mutedText(left + plot / 2, bottom + 34, chart.xLabel, 'middle');
}

function referenceLine(x: number, label: string, top: number, bottom: number): string {
  const line = { ...paint({ stroke: 'ink' }), 'stroke-width': 1.2, 'stroke-dasharray': '5 3' };
  return element('line', { x1: x, x2: x, y1: top - 4, y2: bottom, ...line }) + mutedText(x, top - 9, label, 'middle');
}

function scaleOf({ scale, rows, reference }: RowChart, range: [number, number]) {
  const values = rows.flatMap(({ lines }) =>
    lines.flat().flatMap(({ x, low, high }) => [x, low, high].filter((value) => value != null)),
  );
  const all = reference === undefined ? values : [...values, reference.x];
  if (scale === 'linear') return scaleLinear([Math.min(0, ...all), Math.max(...all, 1e-9)], range).nice(6);
  // A number just above 0 has no place on the axis that can be told from that of 0.
  const [least, most] = all.length === 0 ? [1, 10] : [Math.min(...all), Math.max(...all)];
  const [low, high] = [Math.max(least, 1e-300), Math.max(most, 1e-300)];
  return sparse(scaleLog([low / 1.12, high * 1.12], range));
}

/** Mantissas of ticks on a logarithmic axis, from sparse to dense. */
const MANTISSAS = [[1], [1, 2, 5], [1, 2, 3, 5], [1, 1.5, 2, 3, 5, 7], [1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9]] as const;

/** Log ticks: the sparsest set of round values with four of them on the axis, else its ends. */
function sparse(scale: ReturnType<typeof scaleLog<number, number>>) {
  const [low, high] = scale.domain() as [number, number];
  const sets = MANTISSAS.map((mantissas) => {
    const decades = range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)));
    return decades
      .flatMap((exponent) => mantissas.map((each) => Number(`${each}e${exponent}`)))
      .filter((tick) => tick >= low && tick <= high);
  });
  const chosen = sets.find((set) => set.length >= 4) ?? sets.at(-1) ?? [];
  const ticks = chosen.length > 1 ? chosen : [low, high];
  return Object.assign((value: number) => scale(value), { ticks: (_count: number) => ticks });
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function tickText(value: number): string {
  return String(Number(value.toPrecision(3)));
}
