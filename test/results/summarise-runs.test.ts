import { expect, test } from 'vitest';
import { summariseRuns } from '../../src/results/summarise-runs.js';
import { exampleRun } from '../report/example-results.js';

const runsOf = (target: string, eces: (number | null)[]) => eces.map((ece, seed) => exampleRun({ target, seed, ece }));

test('the mean and standard error over seeds are in percentage points', () => {
  const [row] = summariseRuns(runsOf('t', [0.1, 0.2, 0.4])).summary;
  expect(row).toMatchObject({ dataset: 'demo-facts', target: 't', method: 'vanilla', combinationSize: null, seeds: 3 });
  expect(row!.eceMeanPp).toBeCloseTo(70 / 3, 12);
  // sample variance of 10, 20, 40 is 700 / 3
  expect(row!.eceSePp).toBeCloseTo(Math.sqrt(700 / 3 / 3), 12);
});

test('one seed has a mean and no standard error', () => {
  expect(summariseRuns(runsOf('t', [0.25])).summary[0]).toMatchObject({ eceMeanPp: 25, eceSePp: null, seeds: 1 });
});

test('seeds without an ECE count neither in the mean nor in the number of seeds', () => {
  expect(summariseRuns(runsOf('t', [0.25, null])).summary[0]).toMatchObject({ eceMeanPp: 25, eceSePp: null, seeds: 1 });
  expect(summariseRuns(runsOf('t', [null, null])).summary[0]).toMatchObject({
    eceMeanPp: null,
    eceSePp: null,
    seeds: 0,
  });
});

test('the macro average is the mean over targets of seed means, not over runs', () => {
  const { macro } = summariseRuns([...runsOf('a', [0.1, 0.1, 0.1]), ...runsOf('b', [0.3]), ...runsOf('c', [null])]);
  expect(macro).toHaveLength(1);
  expect(macro[0]).toMatchObject({ method: 'vanilla', combinationSize: null, targets: 2 });
  expect(macro[0]!.eceMeanPp).toBeCloseTo(20, 12);
});

test('data sets, methods and combination sizes stay apart, in order of first appearance', () => {
  const { summary, macro } = summariseRuns([
    exampleRun({ dataset: 'z', method: 'supportcal', combinationSize: 2 }),
    exampleRun({ dataset: 'z', method: 'supportcal', combinationSize: 1 }),
    exampleRun({ dataset: 'a', method: 'supportcal', combinationSize: 2 }),
  ]);
  const keys = [
    ['z', 2],
    ['z', 1],
    ['a', 2],
  ];
  expect(summary.map((row) => [row.dataset, row.combinationSize])).toEqual(keys);
  expect(macro.map((row) => [row.dataset, row.combinationSize])).toEqual(keys);
});
