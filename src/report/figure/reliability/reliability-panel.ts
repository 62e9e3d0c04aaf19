import { formatCount, formatFixed } from '../../text/format-number.js';
import { mutedTexts, rules, text } from '../figure-frame.js';
import { paint } from '../palette.js';
import { element, px } from '../svg-element.js';
import { binSpan, type Reliability, reliabilityPlot } from './reliability-plot.js';

export interface PanelForm {
  readonly title: string;
  /** Pixels of a side of the plot. */
  readonly size: number;
  /** The first of a row, which has the numbers of the vertical axis. */
  readonly first: boolean;
}

const HEAD = 44;
const STRIP = { top: 26, height: 40 } as const;

/** How high a panel is whose plot has sides of so many pixels. */
export function panelHeight(size: number): number {
  return HEAD + size + STRIP.top + STRIP.height;
}

/** Where the middles of plot and strip lie, for the names of their axes. */
export function panelMiddles(size: number) {
  return { plot: HEAD + size / 2, strip: HEAD + size + STRIP.top + STRIP.height / 2 };
}

/** One method: its ECE, its reliability diagram, and below it the share of examples per bin. Origin: top left. */
export function reliabilityPanel(panel: Reliability, { title, size, first }: PanelForm): string {
  return (
    text(0, 14, title, { 'font-size': 14, 'font-weight': 600 }) +
    text(0, 33, `ECE ${formatFixed(100 * (panel.eceMean ?? panel.ece))} pp`, { 'font-size': 13 }) +
    mutedTexts('end', [[size, 33, countText(panel)]]) +
    element(
      'g',
      { transform: `translate(0 ${HEAD})` },
      reliabilityPlot(panel, { size, yTicks: first, xTicks: true, hints: true }),
    ) +
    strip(panel, size, first)
  );
}

/** Different examples, or how many a split measures where they are not known one by one. */
function countText({ examples = null, splits = 1, bins }: Reliability): string {
  if (examples !== null) return `n = ${formatCount(examples)}`;
  const count = bins.reduce((sum, bin) => sum + bin.count, 0);
  return `n = ${formatCount(Math.round(count / splits))}${splits > 1 ? ' a split' : ''}`;
}

/** Share of the examples per bin, on the same horizontal axis. */
function strip({ bins }: Reliability, size: number, first: boolean): string {
  const base = STRIP.height;
  const all = bins.reduce((sum, bin) => sum + bin.count, 0);
  const bars = bins
    .filter((bin) => bin.count > 0)
    .map((bin) => {
      const [left, width] = binSpan(bin, size);
      return `M${left} ${base}V${px(base - (base * bin.count) / all)}h${width}V${base}Z`;
    });
  return element(
    'g',
    { transform: `translate(0 ${HEAD + size + STRIP.top})` },
    rules('grid', [[0, 0, size, 0]]),
    element('path', { d: bars.join(''), ...paint({ fill: 'histogram' }) }),
    rules('ink', [[0, base, size, base]]),
    first
      ? mutedTexts('end', [
          [-6, 4, '100'],
          [-6, base + 4, '0'],
        ])
      : '',
  );
}
