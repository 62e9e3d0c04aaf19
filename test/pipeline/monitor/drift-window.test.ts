import { describe, expect, it } from 'vitest';
import { signalSketch } from '../../../src/inference/drift/signal-sketch.js';
import { kolmogorovTail } from '../../../src/inference/drift/signal-window.js';
import type { DriftReference, SignalName } from '../../../src/pipeline/artefact/drift-schema.js';
import { DriftWindow, FALSE_ALARM_RATE } from '../../../src/pipeline/monitor/drift-window.js';

const spread = (count: number, shift = 0) => Float64Array.from({ length: count }, (_, n) => (n + 0.5) / count + shift);
const sketchOf = (values: Float64Array) => {
  const { rows, values: kept } = signalSketch(values)!;
  return { rows, values: [...kept] };
};
const referenceOf = (...names: SignalName[]): DriftReference => ({
  rule: 'r',
  signals: Object.fromEntries(names.map((name) => [name, sketchOf(spread(100))])),
});

describe('a window of new questions', () => {
  it('is judged by its farthest signal, at the p-value of the test times the number of signals', () => {
    const window = new DriftWindow(referenceOf('rawConfidence', 'margin'));
    const far = spread(50, 0.3);
    for (const [n, margin] of far.entries()) window.add({ rawConfidence: spread(50)[n]!, margin });
    const { rows, drift, pValue, signals } = window.report();
    // 50 of 100 and 50 numbers: the size is 100 / 3, and 31 numbers of the fit lie below the window's least.
    const size = Math.sqrt(100 / 3);
    expect(signals.map(({ signal, distance }) => [signal, distance])).toEqual([
      ['rawConfidence', expect.closeTo(0.01, 10)],
      ['margin', expect.closeTo(0.31, 10)],
    ]);
    expect(pValue).toBeCloseTo(2 * kolmogorovTail((size + 0.12 + 0.11 / size) * signals[1]!.distance), 12);
    expect([rows, drift, pValue > FALSE_ALARM_RATE / 2]).toEqual([50, pValue <= FALSE_ALARM_RATE, true]);
  });

  it('shows nothing before it has 30 questions of which a signal is known', () => {
    const window = new DriftWindow(referenceOf('rawConfidence', 'margin'));
    for (let n = 0; n < 29; n++) window.add({ rawConfidence: 9, margin: 9 });
    expect(window.report()).toEqual({ rows: 29, drift: null, pValue: 1, signals: [] });
    window.add({ margin: 9 });
    expect(window.report()).toMatchObject({ rows: 30, drift: true, signals: [{ signal: 'margin', rows: 30 }] });
  });

  it('goes on from the counts that were written down', () => {
    const reference = referenceOf('margin', 'promptTokens');
    const [whole, first] = [new DriftWindow(reference), new DriftWindow(reference)];
    for (const margin of spread(40, 0.1)) whole.add({ margin });
    for (const margin of spread(40, 0.1).subarray(0, 15)) first.add({ margin });
    const { rows, counts } = JSON.parse(JSON.stringify({ rows: first.rows, counts: first.counts }));
    const second = new DriftWindow(reference, { rows, counts });
    for (const margin of spread(40, 0.1).subarray(15)) second.add({ margin });
    expect(second.report()).toEqual(whole.report());
  });
});
