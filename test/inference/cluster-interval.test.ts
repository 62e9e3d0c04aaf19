import { expect, test } from 'vitest';
import { normalDraws } from '../../src/inference/law/normal-draws.js';
import { clusterInterval, overModels } from '../../src/inference/over-models.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';

const of = (base: string, ...values: number[]) => values.map((value) => ({ base, value }));

test('with as many targets for every base it is Student’s interval of the means of the bases', () => {
  const values = [...of('a', 1, 2), ...of('b', 4, 6), ...of('c', 0, 5)];
  const student = overModels(
    values.map(({ base, value }) => ({ base, difference: value })),
    0,
  ).interval;
  const found = clusterInterval(values);
  expect(found?.bases).toBe(3);
  expect(found?.low).toBeCloseTo(student?.low ?? Number.NaN, 12);
  expect(found?.high).toBeCloseTo(student?.high ?? Number.NaN, 12);
});

test('bases of different size: the formula of Liang and Zeger written out', () => {
  // Mean 3; residual sums -3, 1, 2 of the bases; t of 2 degrees 4.302653.
  const found = clusterInterval([...of('a', 1, 2), ...of('b', 4), ...of('c', 3, 5)]);
  const error = Math.sqrt((9 + 1 + 4) * (3 / 2)) / 5;
  expect(found?.low).toBeCloseTo(3 - 4.302653 * error, 5);
  expect(found?.high).toBeCloseTo(3 + 4.302653 * error, 5);
});

test('one base says nothing about others', () => {
  expect(clusterInterval(of('a', 1, 2, 3))).toBeNull();
});

test('holds a mean over bases as often as it says, where one that takes targets for independent does not', () => {
  const generator = seededGenerator(3);
  let [clusters, alone] = [0, 0];
  for (let i = 0; i < 400; i++) {
    const values = Array.from({ length: 5 }, (_, b) => {
      const [effect = 0, first = 0, second = 0] = normalDraws(generator, 3);
      return of(String(b), effect + 0.5 * first, effect + 0.5 * second);
    }).flat();
    const holds = (interval: ReturnType<typeof clusterInterval>) => interval!.low <= 0 && interval!.high >= 0;
    if (holds(clusterInterval(values))) clusters++;
    if (holds(clusterInterval(values.map(({ value }, n) => ({ base: String(n), value }))))) alone++;
  }
  expect(clusters / 400).toBeGreaterThan(0.93);
  expect(clusters / 400).toBeLessThan(0.97);
  expect(alone / 400).toBeLessThan(0.9);
});
