import { describe, expect, it } from 'vitest';
import { type CalibrationInput, calibrateTarget } from '../../src/calibration/calibrate-target.js';
import { shrunkTemperature } from '../../src/calibration/fit/shrunk-temperature.js';
import { logitGaps } from '../../src/calibration/fit/teacher-alignment.js';
import { raggedRows } from '../../src/numeric/ragged-rows.js';
import { softmax } from '../../src/numeric/softmax.js';

const COUNT = 300;

/** Numbers that look drawn, the same in every run. */
const wave = (n: number) => Math.sin(12.9898 * n) * 43758.5453 - Math.floor(Math.sin(12.9898 * n) * 43758.5453) - 0.5;
const rows = (seed: number, scale: number) =>
  Array.from({ length: COUNT }, (_, n) => Array.from({ length: 4 }, (_, k) => scale * wave(seed + 5 * n + k)));
const base = rows(1, 4);
/** Mostly the base's opinion, five times as sure, with some answers of its own. */
const target = base.map((row, n) => row.map((v, k) => 5 * (v + 2.5 * wave(9000 + 4 * n + k))));
/** Drawn from softmax of the target's logits over a temperature of 4. */
const labels = Int32Array.from(target, (row, n) => {
  let left = wave(70_000 + n) + 0.5;
  const shares = softmax(row, 1 / 4);
  for (const [k, share] of shares.entries()) {
    left -= share;
    if (left < 0) return k;
  }
  return 3;
});

function fitted(methods: string[], fields: Partial<CalibrationInput> = {}, count = COUNT) {
  const input = {
    targetLogits: raggedRows(target),
    ownBaseLogits: raggedRows(base),
    references: [2, 3].map((seed) => ({ id: `r${seed}`, logits: raggedRows(rows(seed, 3)) })),
    methods,
    combinationSizes: [],
    labels,
    ...fields,
  };
  const { outcomes } = calibrateTarget(input).fit(Int32Array.from({ length: count }, (_, n) => n));
  return outcomes.map(({ outcome, estimatedAccuracy }) => {
    if (outcome.kind !== 'finite') throw new Error(outcome.kind);
    return { temperature: outcome.temperature, accuracy: estimatedAccuracy ?? Number.NaN };
  });
}

describe('auto', () => {
  it("takes the accuracy to be the own base's confidence plus 1.5 times the gain that the references suggest", () => {
    const [auto, confidence, accuracy] = fitted(['auto', 'confidence-matched', 'accuracy-matched']);
    const gain = accuracy!.accuracy - confidence!.accuracy;
    expect(Math.abs(gain)).toBeGreaterThan(0.001);
    expect(auto!.accuracy).toBeCloseTo(confidence!.accuracy + 1.5 * gain, 12);
  });

  it('does without references, where it is confidence-matched', () => {
    const [auto, confidence] = fitted(['auto', 'confidence-matched'], { references: [] });
    expect(auto).toEqual(confidence);
  });

  it('reads no label', () => {
    expect(fitted(['auto'], { labels: labels.map((label) => (label + 1) % 4) })).toEqual(fitted(['auto']));
  });
});

describe('auto-labels', () => {
  const unlabelled = (from: number) => labels.map((label, n) => (n < from ? label : -1));

  it('is auto where there is no label', () => {
    const [auto, moved] = fitted(['auto', 'auto-labels'], { labels: unlabelled(0) });
    expect(moved).toEqual(auto);
  });

  it('goes from auto to the fit on the labels with their number', () => {
    const distances = [20, 100, 300].map((count) => {
      const [auto, moved, oracle] = fitted(['auto', 'auto-labels', 'oracle-ts'], { labels: unlabelled(count) });
      const [from, at, to] = [auto, moved, oracle].map((each) => Math.log(each!.temperature));
      return (at! - from!) / (to! - from!);
    });
    for (const share of distances) expect([share > 0, share < 1]).toEqual([true, true]);
    expect(distances).toEqual(distances.toSorted((a, b) => a - b));
  });
});

it('auto-labels takes the labels of the examples that it is fitted on', () => {
  const calibration = calibrateTarget({
    targetLogits: raggedRows(target),
    ownBaseLogits: raggedRows(base),
    references: [],
    combinationSizes: [],
    methods: ['auto', 'auto-labels'],
    labels,
  });
  const indexes = Int32Array.from({ length: 60 }, (_, n) => 4 * n + 9);
  const [auto, moved] = calibration
    .fit(indexes)
    .outcomes.map(({ outcome }) => (outcome.kind === 'finite' ? outcome.temperature : 0));
  const own = [...indexes];
  const gaps = logitGaps(raggedRows(own.map((n) => target[n]!)));
  expect(moved).toBeCloseTo(
    shrunkTemperature(
      gaps,
      Int32Array.from(own, (n) => labels[n]!),
      auto!,
    ),
    12,
  );
});

it.each([
  [40, 4],
  [3, 3],
])('shrunkTemperature is the posterior mean of ln tau of %d labels, as many temperatures have it', (count, digits) => {
  const gaps = logitGaps(raggedRows(target.slice(0, count)));
  const steps = Array.from({ length: 20_001 }, (_, i) => Math.log(2.5) - 5 + i * 5e-4);
  const logs = steps.map((logTau) => {
    const each = target.slice(0, count).map((row, n) => Math.log(softmax(row, Math.exp(-logTau))[labels[n]!]!));
    return each.reduce((sum, log) => sum + log, -Math.log1p(((logTau - Math.log(2.5)) / 0.1) ** 2));
  });
  const largest = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - largest));
  const mean =
    steps.reduce((sum, logTau, i) => sum + logTau * weights[i]!, 0) / weights.reduce((sum, weight) => sum + weight, 0);
  expect(Math.log(shrunkTemperature(gaps, labels, 2.5))).toBeCloseTo(mean, digits);
});
