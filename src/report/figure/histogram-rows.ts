import { scaleLinear } from 'd3-scale';
import type { Histogram } from '../../results/paper-diagnostics.js';
import { formatCount } from '../text/format-number.js';
import { shortenName } from '../text/plain-text.js';
import { figureFrame, mutedText, mutedTexts, rules, text } from './figure-frame.js';
import { paint } from './palette.js';
import { element, escapeXml, px } from './svg-element.js';

export interface HistogramChart {
  readonly id: string;
  readonly title: string;
  readonly alt: string;
  readonly xLabel: string;
  /** Histograms with the same bins, or at least of the same width. */
  readonly rows: ReadonlyArray<{
    readonly label: string;
    readonly histogram: Histogram;
    readonly median: number;
    readonly medianText: string;
  }>;
}

const ROW = 24;
const BAR = 18;
const PLOT = 200;

/** A histogram per row on one axis, as high as its largest bin, with a line at the median. */
export function histogramRows({ rows, xLabel, ...frame }: HistogramChart): string {
  const left = Math.min(180, 28 + 6.6 * Math.max(4, ...rows.map(({ label }) => label.length)));
  const [top, width] = [52, left + PLOT + 76];
  const bottom = top + rows.length * ROW;
  const starts = rows.map(({ histogram }) => histogram.start);
  const ends = rows.map(({ histogram: { start, width: step, counts } }) => start + step * counts.length);
  const x = scaleLinear([Math.min(...starts), Math.max(...ends)], [0, PLOT]);
  const ticks = x.ticks(4);
  return figureFrame(
    { ...frame, width, height: bottom + 46 },
    rules(
      'grid',
      ticks.map((tick) => [left + x(tick), top, left + x(tick), bottom]),
    ),
    mutedTexts(
      'middle',
      ticks.map((tick) => [left + x(tick), bottom + 16, String(tick)]),
    ),
    mutedText(left + PLOT + 16, top - 6, 'median', 'start'),
    ...rows.map((row, i) => drawRow(row, left, top + i * ROW, x)),
    mutedText(left + PLOT / 2, bottom + 34, xLabel, 'middle'),
  );
}

function drawRow(
  { label, histogram, median, medianText }: HistogramChart['rows'][number],
  left: number,
  top: number,
  x: (value: number) => number,
): string {
  const base = top + ROW - 2;
  const { start, width, counts } = histogram;
  const all = counts.reduce((sum, count) => sum + count, 0);
  const most = Math.max(...counts);
  const bars = counts.flatMap((count, i) => {
    if (count === 0) return [];
    const [from, to] = [left + x(start + i * width), left + x(start + (i + 1) * width)];
    const height = Math.max(1, (BAR * count) / most);
    return [`M${px(from + 0.5)} ${base}V${px(base - height)}H${px(to - 0.5)}V${base}Z`];
  });
  const at = left + x(median);
  return (
    text(left - 10, base - 5, shortenName(label, 23), { 'text-anchor': 'end' }) +
    element(
      'path',
      { d: bars.join(''), ...paint({ fill: 'histogram' }) },
      element('title', {}, escapeXml(`${label}: ${formatCount(all)} examples, median ${medianText}`)),
    ) +
    rules('ink', [[left, base, left + PLOT, base]]) +
    element('path', {
      d: `M${px(at)} ${base - BAR - 2}V${base}`,
      ...paint({ stroke: 'vermilion' }),
      'stroke-width': 2,
    }) +
    text(left + PLOT + 16, base - 5, medianText)
  );
}
