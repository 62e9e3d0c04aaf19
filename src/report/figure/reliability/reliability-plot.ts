import { scaleLinear } from 'd3-scale';
import type { Diagnostics } from '../../../results/diagnostics-schema.js';
import { formatCount } from '../../text/format-number.js';
import { axisTexts, mutedTexts, rules } from '../figure-frame.js';
import { paint } from '../palette.js';
import { element, escapeXml, px } from '../svg-element.js';
import { GAP_PATTERNS } from './reliability-key.js';
import { drawWhiskers, whiskerPath } from './whisker.js';

export type Reliability = Diagnostics['reliability'][number];

/** A bin that has examples. */
export type FilledBin = Reliability['bins'][number] & { readonly accuracy: number; readonly confidence: number };

/** How much of the ink a bin gets by the root of its count over that of the fullest bin, in steps of a quarter. */
const LOUDNESS = [0.3, 0.55, 0.8, 1] as const;

export interface PlotForm {
  /** Pixels of a side. */
  readonly size: number;
  /** Left edge and bottom have numbers. */
  readonly yTicks: boolean;
  readonly xTicks: boolean;
  /** Every bin says its numbers to whoever points at it. */
  readonly hints: boolean;
}

/**
 * The unit square of a reliability diagram: per bin a bar up to its accuracy, the gap from there to its mean
 * confidence, and the interval of the accuracy. What confidence lacks is a part of the bar; what it has too much lies
 * above it. Bins of few examples are pale, empty ones absent. Origin: top left.
 */
export function reliabilityPlot(panel: Reliability, { size, yTicks, xTicks, hints }: PlotForm): string {
  const bins = filledBins(panel);
  const ticks = size < 150 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
  const at = (value: number) => size * (1 - value);
  return [
    rules(
      'grid',
      ticks.map((tick) => [0, at(tick), size, at(tick)]),
    ),
    yTicks
      ? mutedTexts(
          'end',
          ticks.map((tick) => [-6, at(tick) + 4, percent(tick)]),
        )
      : '',
    ...byLoudness(bins).map(([loudness, some]) => drawBins(some, loudness, size)),
    element('path', {
      d: `M0 ${size}L${size} 0`,
      ...paint({ stroke: 'ink' }),
      'stroke-width': size < 150 ? 0.8 : 1.2,
      'stroke-dasharray': size < 150 ? '3 2' : '5 3',
    }),
    rules('ink', [[0, size, size, size]]),
    xTicks
      ? axisTexts(
          size,
          size + 15,
          [0, 0.5, 1].map((tick) => [size * tick, percent(tick)]),
        )
      : '',
    ...(hints ? bins.map((bin) => hint(bin, panel.splits ?? 1, size)) : []),
  ].join('');
}

function filledBins({ bins }: Reliability): FilledBin[] {
  return bins.filter((bin): bin is FilledBin => bin.count > 0 && bin.accuracy !== null && bin.confidence !== null);
}

/** Left edge and width of a bin's bar. */
export function binSpan({ lower, upper }: { readonly lower: number; readonly upper: number }, size: number) {
  const [x, space] = [scaleLinear([0, 1], [0, size]), size < 150 ? 0.8 : 1.5];
  return [px(x(lower) + space / 2), px(Math.max(0.5, x(upper) - x(lower) - space))] as const;
}

function percent(tick: number): string {
  return `${Math.round(100 * tick)}`;
}

/** The bins of each step of loudness, the palest first. */
function byLoudness(bins: readonly FilledBin[]): [number, FilledBin[]][] {
  const most = Math.max(...bins.map(({ count }) => count));
  const stepOf = ({ count }: FilledBin) =>
    Math.min(LOUDNESS.length - 1, Math.floor(LOUDNESS.length * Math.sqrt(count / most)));
  return LOUDNESS.map((loudness, step): [number, FilledBin[]] => [
    loudness,
    bins.filter((bin) => stepOf(bin) === step),
  ]).filter(([, some]) => some.length > 0);
}

function drawBins(bins: readonly FilledBin[], loudness: number, size: number): string {
  const y = (value: number) => px(size * (1 - value));
  const box = (bin: FilledBin, low: number, high: number) => {
    const [left, width] = binSpan(bin, size);
    return `M${left} ${y(low)}V${y(high)}h${width}V${y(low)}Z`;
  };
  const bars = bins.map((bin) => box(bin, 0, bin.accuracy));
  const over = bins.filter(({ accuracy, confidence }) => confidence > accuracy);
  const under = bins.filter(({ accuracy, confidence }) => confidence < accuracy);
  const tops = bins.map((bin) => `M${binSpan(bin, size)[0]} ${y(bin.accuracy)}h${binSpan(bin, size)[1]}`);
  const whiskers = bins.flatMap((bin) => {
    if (bin.accuracyLow == null || bin.accuracyHigh == null) return [];
    const [left, width] = binSpan(bin, size);
    return [whiskerPath(left + width / 2, [y(bin.accuracyLow), y(bin.accuracyHigh)], size < 150 ? 0 : 3)];
  });
  return element(
    'g',
    loudness === 1 ? {} : { opacity: loudness },
    element('path', { d: bars.join(''), ...paint({ fill: 'accuracy' }) }),
    gap(over.map((bin) => box(bin, bin.accuracy, bin.confidence)).join(''), 'over'),
    gap(under.map((bin) => box(bin, bin.confidence, bin.accuracy)).join(''), 'under'),
    element('path', { d: tops.join(''), ...paint({ stroke: 'ink' }), 'stroke-width': size < 150 ? 1.2 : 2 }),
    whiskers.length === 0 ? '' : drawWhiskers(whiskers.join(''), size < 150),
  );
}

function gap(path: string, kind: 'over' | 'under'): string {
  if (path === '') return '';
  const stroke = paint({ stroke: kind === 'over' ? 'overconfident' : 'underconfident' });
  return element('path', { d: path, ...stroke, fill: `url(#${GAP_PATTERNS[kind]})` });
}

/** An unseen box over a whole bin. */
function hint(bin: FilledBin, splits: number, size: number): string {
  const { accuracy, confidence, accuracyLow, accuracyHigh } = bin;
  const [x, width] = binSpan(bin, size);
  const band =
    accuracyLow == null || accuracyHigh == null
      ? ''
      : ` (95 % ${accuracyLow.toFixed(3)} to ${accuracyHigh.toFixed(3)})`;
  const said = `confidence ${bin.lower.toFixed(2)} to ${bin.upper.toFixed(2)}: accuracy ${accuracy.toFixed(3)}${band}, mean confidence ${confidence.toFixed(3)}, n = ${formatCount(bin.count)}${splits > 1 ? ` in ${splits} splits` : ''}`;
  return element(
    'rect',
    { x, y: 0, width, height: size, fill: 'none', 'pointer-events': 'all' },
    element('title', {}, escapeXml(said)),
  );
}
