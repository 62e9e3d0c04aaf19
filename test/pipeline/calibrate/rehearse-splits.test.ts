import { expect, it, vi } from 'vitest';
import { rehearseSplits } from '../../../src/pipeline/calibrate/rehearse-splits.js';
import * as runs from '../../../src/pipeline/calibrate/target-runs.js';

const suite: runs.RunSuite = {
  methods: ['vanilla', 'daca', 'supportcal', 'auto', 'oracle-ts'],
  combinationMethods: ['supportcal'],
  ownMethods: [],
  elicitation: { samples: 5, temperature: 0.7, aggregator: 'avg-conf', minimumCoverage: 0 } as never,
  binning: { bins: 10, binEdges: 'equal-width', edgeRule: 'left-owned' },
};

vi.mock(import('../../../src/pipeline/calibrate/target-runs.js'), async (original) => {
  const module = await original();
  return { ...module, splitRuns: vi.fn(module.splitRuns) };
});

it('a rehearsal fits and measures the methods of the suite, and ends at the first split after a call', async () => {
  const split = vi.mocked(runs.splitRuns);
  await rehearseSplits(suite, () => split.mock.calls.length === 3);
  const done = split.mock.results.map(({ value }) => (value as runs.SplitRuns).runs);
  expect(done.map((each) => each.map(({ method }) => method))).toEqual(
    Array(3).fill(['vanilla', 'daca', 'supportcal', 'supportcal', 'auto', 'oracle-ts']),
  );
  expect(done.flat().every(({ ece }) => ece !== null && ece > 0)).toBe(true);
});
