import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import type { SuitePlan } from '../../../src/config/plan-suite.js';
import { openEarly } from '../../../src/pipeline/calibrate/early-threads.js';
import { helpersFor } from '../../../src/pipeline/calibrate/split-threads.js';
import type { Workspace } from '../../../src/pipeline/workspace/workspace.js';

const plan = (references: number, ownMethods: unknown[] = []) =>
  ({
    seeds: [1, 2, 3, 4, 5],
    methods: ['vanilla', 'daca', 'supportcal', 'oracle-ts'],
    ownMethods,
    combinationSizes: () => [2],
    targetsOf: () => [{ referencePool: Array.from({ length: references }) }],
  }) as unknown as SuitePlan;
const examples = (count: number) => [{ dataset: 'd', examples: count }];

test('the data sets of the paper start a thread where it starts fast', () => {
  const twelve = Array(12).fill(examples(4_183)).flat();
  expect(helpersFor(plan(9), twelve, undefined, 'slow')).toBe(0);
  expect(helpersFor(plan(9), twelve, undefined, 'fast')).toBe(Math.min(availableParallelism() - 1, 4));
  expect(helpersFor(plan(9), examples(4_183), undefined, 'fast')).toBe(0);
});

test('many examples start one thread less than there are processors', () => {
  expect(helpersFor(plan(8), examples(300_000), undefined, 'fast')).toBe(Math.min(availableParallelism() - 1, 4, 6));
});

test('memory limits the threads: a million examples get one helper, more of them none', () => {
  expect(helpersFor(plan(8), examples(1_000_000), 16)).toBe(1);
  expect(helpersFor(plan(8), examples(3_000_000), 16)).toBe(0);
});

test('as many threads as asked for, the main one among them, and no more than seeds', () => {
  expect([1, 2, 9].map((asked) => helpersFor(plan(9), examples(100), asked))).toEqual([0, 1, 4]);
});

test('methods of ones own, which are functions, stay in one thread', () => {
  expect(helpersFor(plan(8, [{ name: 'own' }]), examples(300_000), 4)).toBe(0);
});

test('threads begin before imported scores are read, where they will pay or were asked for', async () => {
  const early = (threads?: number) => {
    const options = { cache: '/nowhere', ...(threads !== undefined && { threads }) };
    return openEarly({
      suite: plan(9),
      datasets: [{ spec: { id: 'd' }, content: null }],
      options,
    } as unknown as Workspace);
  };
  expect(early()).toBeUndefined();
  expect(early(1)).toBeUndefined();
  const threads = early(3);
  expect(threads?.helpers).toHaveLength(2);
  await threads?.close();
});
