import { expect, test } from 'vitest';
import { scoreTable } from '../../../src/cache/table/score-table.js';
import { DEFAULT_BINNING } from '../../../src/metrics/bins/binning.js';
import { measureElsewhere, measureShare } from '../../../src/pipeline/calibrate/measure-elsewhere.js';
import { type MeasuredModel, measureModel } from '../../../src/pipeline/collect/measure-model.js';
import { joinScores } from '../../../src/pipeline/join/dataset-scores.js';

/** Three models; the second lacks every 50th example, and every tenth has no label. */
function models(count: number) {
  const rows = (m: number) =>
    Array.from({ length: count }, (_, i) => {
      const id = `q${i}`;
      if (m === 1 && i % 50 === 0) return { id, status: 'failed' as const, reason: 'too long', promptTokens: 9 };
      const logits = [(i * 7 + m) % 5, (i * 3) % 4, i % 2];
      return { id, status: 'ok' as const, logits, logZ: 9, optionMass: 1, promptTokens: 5 };
    });
  const labels = Int32Array.from({ length: count }, (_, i) => (i % 10 === 0 ? -1 : i % 3));
  const scores = joinScores('quiz', null, new Map([0, 1, 2].map((m) => [`m${m}`, scoreTable(rows(m), labels)])));
  return { scores, binning: DEFAULT_BINNING, measured: new Map<string, MeasuredModel>() };
}

const helper = { measure: async (share: Parameters<typeof measureShare>[0]) => measureShare(structuredClone(share)) };

test('threads measure every model of a large data set once, as it is measured here', async () => {
  const given = models(100_000);
  await measureElsewhere(given, [helper, helper]);

  const { scores, binning, measured } = given;
  expect([...measured.keys()].sort()).toEqual(['m0', 'm1', 'm2']);
  for (const [id, found] of measured)
    expect(found).toEqual(measureModel({ ...scores.models.get(id)!, labels: scores.labels }, binning));
});

test('what a thread could not measure is left for later', async () => {
  const given = models(100_000);
  await measureElsewhere(given, [helper, { measure: async () => null }]);
  expect([...given.measured.keys()]).toEqual(['m0', 'm2']);
});

test('small data sets, and those without threads, are measured here', () => {
  expect(measureElsewhere(models(1000), [helper])).toBeUndefined();
  expect(measureElsewhere(models(100_000))).toBeUndefined();
});
