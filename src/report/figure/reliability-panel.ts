import { scaleLinear } from 'd3-scale';
import { formatCount, formatFixed } from '../format-number.js';
import type { Diagnostics } from '../results-schema.js';
import { paint } from './palette.js';
import { element, escapeXml } from './svg-element.js';

export type Reliability = Diagnostics['reliability'][number];

export const PANEL = {
  size: 184,
  headHeight: 44,
  histogramTop: 30,
  histogramHeight: 44,
  height: 44 + 184 + 30 + 44,
} as const;

/**
 * One method: per bin a bar of accuracy and the gap up or down to the bin's mean confidence, the diagonal, and below
 * it the share of examples per bin. Empty bins are absent. Origin: top left of the panel.
 */
export function reliabilityPanel(panel: Reliability, title: string, first: boolean, idPrefix: string): string {
  const x = scaleLinear([0, 1], [0, PANEL.size]);
  const y = scaleLinear([0, 1], [PANEL.size, 0]);
  const bins = panel.bins.filter((bin) => bin.count > 0 && bin.accuracy !== null && bin.confidence !== null);
  const count = panel.bins.reduce((sum, bin) => sum + bin.count, 0);
  const plot = element(
    'g',
    { transform: `translate(0 ${PANEL.headHeight})` },
    ...[0, 0.25, 0.5, 0.75, 1].map((tick) => grid(y(tick), tick, first)),
    ...bins.map((bin) => bar(bin, x, y, idPrefix)),
    element('line', {
      x1: 0,
      y1: PANEL.size,
      x2: PANEL.size,
      y2: 0,
      ...paint({ stroke: 'ink' }),
      'stroke-width': 1.2,
      'stroke-dasharray': '5 3',
    }),
    element('line', { x1: 0, x2: PANEL.size, y1: PANEL.size, y2: PANEL.size, ...paint({ stroke: 'ink' }) }),
    ...[0, 0.5, 1].map((tick) => label(x(tick), PANEL.size + 15, String(tick), 'middle')),
  );
  return head(panel, title, count) + plot + histogram(panel, count, first);
}

function head(panel: Reliability, title: string, count: number): string {
  return (
    text(0, 14, title, { 'font-size': 14, 'font-weight': 600 }) +
    text(0, 33, `ECE ${formatFixed(100 * panel.ece)} pp`, { 'font-size': 13 }) +
    text(PANEL.size, 33, `n = ${formatCount(count)}`, {
      'font-size': 11,
      ...paint({ fill: 'muted' }),
      'text-anchor': 'end',
    })
  );
}

type Scale = (value: number) => number;
type Bin = Reliability['bins'][number];

function bar(bin: Bin, x: Scale, y: Scale, idPrefix: string): string {
  const [accuracy, confidence] = [bin.accuracy!, bin.confidence!];
  const over = confidence > accuracy;
  const left = x(bin.lower) + 0.75;
  const width = Math.max(0.5, x(bin.upper) - x(bin.lower) - 1.5);
  const [top, bottom] = over ? [y(confidence), y(accuracy)] : [y(accuracy), y(confidence)];
  const color = over ? 'overconfident' : 'underconfident';
  const band =
    bin.accuracyLow == null || bin.accuracyHigh == null
      ? ''
      : ` (95 % ${bin.accuracyLow.toFixed(3)} to ${bin.accuracyHigh.toFixed(3)})`;
  const hint = `confidence ${bin.lower.toFixed(2)} to ${bin.upper.toFixed(2)}: accuracy ${accuracy.toFixed(3)}${band}, mean confidence ${confidence.toFixed(3)}, n = ${formatCount(bin.count)}`;
  return element(
    'g',
    {},
    element('title', {}, escapeXml(hint)),
    element('rect', {
      x: left,
      width,
      y: y(accuracy),
      height: PANEL.size - y(accuracy),
      ...paint({ fill: 'accuracy' }),
    }),
    element('rect', {
      ...{ x: left, width, y: top, height: bottom - top, ...paint({ stroke: color }), 'stroke-width': 1 },
      fill: `url(#${idPrefix}-${over ? 'over' : 'under'})`,
    }),
    element('line', {
      ...{ x1: left, x2: left + width, y1: y(accuracy), y2: y(accuracy) },
      ...{ ...paint({ stroke: 'accuracy' }), 'stroke-width': 2.5 },
    }),
    bin.accuracyLow == null || bin.accuracyHigh == null
      ? ''
      : whisker(left + width / 2, y(bin.accuracyLow), y(bin.accuracyHigh)),
  );
}

/** The bootstrap interval of a bin's accuracy: ink on a halo of paper, so that it stands out on the bar and beside it. */
export function whisker(x: number, low: number, high: number): string {
  const path = `M${fixed(x)} ${fixed(low)}V${fixed(high)}M${fixed(x - 3)} ${fixed(low)}h6M${fixed(x - 3)} ${fixed(high)}h6`;
  return (
    element('path', { d: path, ...paint({ stroke: 'paper' }), 'stroke-width': 3.4, fill: 'none' }) +
    element('path', { d: path, ...paint({ stroke: 'ink' }), 'stroke-width': 1.3, fill: 'none' })
  );
}

function fixed(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Share of the examples per bin, on the same horizontal axis. */
function histogram(panel: Reliability, count: number, first: boolean): string {
  const x = scaleLinear([0, 1], [0, PANEL.size]);
  const height = scaleLinear([0, 1], [0, PANEL.histogramHeight]);
  const bars = panel.bins
    .filter((bin) => bin.count > 0)
    .map((bin) => {
      const size = height(bin.count / count);
      const left = x(bin.lower) + 0.75;
      const width = Math.max(0.5, x(bin.upper) - x(bin.lower) - 1.5);
      return element('rect', {
        x: left,
        width,
        y: PANEL.histogramHeight - size,
        height: size,
        ...paint({ fill: 'histogram' }),
      });
    });
  return element(
    'g',
    { transform: `translate(0 ${PANEL.headHeight + PANEL.size + PANEL.histogramTop})` },
    grid(0, 1, first, '100 %'),
    ...bars,
    element('line', {
      x1: 0,
      x2: PANEL.size,
      y1: PANEL.histogramHeight,
      y2: PANEL.histogramHeight,
      ...paint({ stroke: 'ink' }),
    }),
    first ? label(-8, PANEL.histogramHeight + 4, '0 %', 'end') : '',
  );
}

function grid(y: number, tick: number, labelled: boolean, name = String(tick)): string {
  const line = element('line', { x1: 0, x2: PANEL.size, y1: y, y2: y, ...paint({ stroke: 'grid' }) });
  return line + (labelled ? label(-8, y + 4, name, 'end') : '');
}

function label(x: number, y: number, content: string, anchor: string): string {
  return text(x, y, content, { 'font-size': 11, ...paint({ fill: 'muted' }), 'text-anchor': anchor });
}

function text(x: number, y: number, content: string, attributes: Record<string, string | number>): string {
  return element('text', { x, y, ...paint({ fill: 'ink' }), ...attributes }, escapeXml(content));
}
