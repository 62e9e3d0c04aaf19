import { scaleLinear } from 'd3-scale';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { formatCount, formatFixed } from '../text/format-number.js';
import { mutedTexts, rules, text } from './figure-frame.js';
import { paint } from './palette.js';
import { element, escapeXml, px } from './svg-element.js';

export type Reliability = Diagnostics['reliability'][number];

export const PANEL = {
  size: 184,
  headHeight: 44,
  histogramTop: 30,
  histogramHeight: 44,
  height: 44 + 184 + 30 + 44,
} as const;

/** The patterns of the gaps, defined by the figure. */
export const GAP_PATTERNS = { over: 'gap-over', under: 'gap-under' } as const;

type Bin = Reliability['bins'][number] & { readonly accuracy: number; readonly confidence: number };

const x = scaleLinear([0, 1], [0, PANEL.size]);
const y = scaleLinear([0, 1], [PANEL.size, 0]);

/**
 * One method: per bin a bar of accuracy with its interval and the gap up or down to the bin's mean confidence, the
 * diagonal, and below it the share of examples per bin. Empty bins are absent. Origin: top left of the panel.
 */
export function reliabilityPanel(panel: Reliability, title: string, first: boolean): string {
  const bins = panel.bins.filter(
    (bin): bin is Bin => bin.count > 0 && bin.accuracy !== null && bin.confidence !== null,
  );
  const count = panel.bins.reduce((sum, bin) => sum + bin.count, 0);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  const plot = element(
    'g',
    { transform: `translate(0 ${PANEL.headHeight})` },
    rules(
      'grid',
      ticks.map((tick) => [0, y(tick), PANEL.size, y(tick)]),
    ),
    first
      ? mutedTexts(
          'end',
          ticks.map((tick) => [-8, y(tick) + 4, String(tick)]),
        )
      : '',
    accuracyBars(bins),
    ...bins.map((bin) => gap(bin, panel.splits ?? 1)),
    whiskers(bins),
    diagonal(),
    rules('ink', [[0, PANEL.size, PANEL.size, PANEL.size]]),
    mutedTexts(
      'middle',
      [0, 0.5, 1].map((tick) => [x(tick), PANEL.size + 15, String(tick)]),
    ),
  );
  return head(panel, title) + plot + histogram(panel, count, first);
}

function head(panel: Reliability, title: string): string {
  return (
    text(0, 14, title, { 'font-size': 14, 'font-weight': 600 }) +
    text(0, 33, `ECE ${formatFixed(100 * (panel.eceMean ?? panel.ece))} pp`, { 'font-size': 13 }) +
    mutedTexts('end', [[PANEL.size, 33, countText(panel)]])
  );
}

/** Different examples, or how many a split measures where they are not known one by one. */
function countText({ examples = null, splits = 1, bins }: Reliability): string {
  if (examples !== null) return `n = ${formatCount(examples)}`;
  const count = bins.reduce((sum, bin) => sum + bin.count, 0);
  return `n = ${formatCount(Math.round(count / splits))}${splits > 1 ? ' a split' : ''}`;
}

/** All bars in one path. */
function accuracyBars(bins: readonly Bin[]): string {
  const path = bins.map((bin) => {
    const [left, width] = span(bin);
    return `M${left} ${PANEL.size}V${px(y(bin.accuracy))}h${width}V${PANEL.size}Z`;
  });
  return element('path', { d: path.join(''), ...paint({ fill: 'accuracy' }) });
}

/** From the accuracy of a bin to its mean confidence, with the numbers of the bin for whoever points at it. */
function gap(bin: Bin, splits: number): string {
  const { accuracy, confidence } = bin;
  const over = confidence > accuracy;
  const [left, width] = span(bin);
  const band =
    bin.accuracyLow == null || bin.accuracyHigh == null
      ? ''
      : ` (95 % ${bin.accuracyLow.toFixed(3)} to ${bin.accuracyHigh.toFixed(3)})`;
  const hint = `confidence ${bin.lower.toFixed(2)} to ${bin.upper.toFixed(2)}: accuracy ${accuracy.toFixed(3)}${band}, mean confidence ${confidence.toFixed(3)}, n = ${formatCount(bin.count)}${splits > 1 ? ` in ${splits} splits` : ''}`;
  const path = `M${left} ${px(y(accuracy))}V${px(y(confidence))}h${width}V${px(y(accuracy))}Z`;
  return element(
    'path',
    {
      d: path,
      ...paint({ stroke: over ? 'overconfident' : 'underconfident' }),
      fill: `url(#${over ? GAP_PATTERNS.over : GAP_PATTERNS.under})`,
    },
    element('title', {}, escapeXml(hint)),
  );
}

function whiskers(bins: readonly Bin[]): string {
  const path = bins.flatMap((bin) => {
    if (bin.accuracyLow == null || bin.accuracyHigh == null) return [];
    const [left, width] = span(bin);
    return [whiskerPath(left + width / 2, y(bin.accuracyLow), y(bin.accuracyHigh))];
  });
  return path.length === 0 ? '' : drawWhiskers(path.join(''));
}

/** An upright interval with ends. */
export function whiskerPath(at: number, low: number, high: number): string {
  return `M${px(at)} ${px(low)}V${px(high)}M${px(at - 3)} ${px(low)}h6M${px(at - 3)} ${px(high)}h6`;
}

/** Ink on a halo of paper, so that intervals stand out on the bars and beside them. */
export function drawWhiskers(path: string): string {
  return (
    element('path', { d: path, ...paint({ stroke: 'paper' }), 'stroke-width': 3.4, fill: 'none' }) +
    element('path', { d: path, ...paint({ stroke: 'ink' }), 'stroke-width': 1.3, fill: 'none' })
  );
}

function diagonal(): string {
  const dashed = { 'stroke-width': 1.2, 'stroke-dasharray': '5 3' };
  return element('path', { d: `M0 ${PANEL.size}L${PANEL.size} 0`, ...paint({ stroke: 'ink' }), ...dashed });
}

/** Share of the examples per bin, on the same horizontal axis. */
function histogram(panel: Reliability, count: number, first: boolean): string {
  const base = PANEL.histogramHeight;
  const bars = panel.bins
    .filter((bin) => bin.count > 0)
    .map((bin) => {
      const [left, width] = span(bin);
      return `M${left} ${base}V${px(base - (base * bin.count) / count)}h${width}V${base}Z`;
    });
  return element(
    'g',
    { transform: `translate(0 ${PANEL.headHeight + PANEL.size + PANEL.histogramTop})` },
    rules('grid', [[0, 0, PANEL.size, 0]]),
    element('path', { d: bars.join(''), ...paint({ fill: 'histogram' }) }),
    rules('ink', [[0, base, PANEL.size, base]]),
    first
      ? mutedTexts('end', [
          [-8, 4, '100 %'],
          [-8, base + 4, '0 %'],
        ])
      : '',
  );
}

/** Left edge and width of a bin's bar. */
function span({ lower, upper }: { readonly lower: number; readonly upper: number }): [number, number] {
  return [px(x(lower) + 0.75), px(Math.max(0.5, x(upper) - x(lower) - 1.5))];
}
