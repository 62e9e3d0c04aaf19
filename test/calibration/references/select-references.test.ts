import fc from 'fast-check';
import { expect, test } from 'vitest';
import { enumerateCombinations } from '../../../src/calibration/references/enumerate-combinations.js';
import { referenceMeans, selectReferences } from '../../../src/calibration/references/select-references.js';
import { SEEDED } from '../random-target.js';

const means = fc.uniqueArray(
  fc.record({
    id: fc.string({ minLength: 1, maxLength: 3 }),
    meanSupport: fc.integer({ min: 1, max: 6 }).map((x) => x / 6),
  }),
  {
    selector: ({ id }) => id,
    minLength: 1,
    maxLength: 7,
  },
);

test('the M references of largest mean support are the best of all combinations, ties by id', () => {
  fc.assert(
    fc.property(means, fc.integer({ min: 1, max: 7 }), (pool, m) => {
      const size = Math.min(m, pool.length);
      const all = enumerateCombinations(pool, size);
      const top = Math.max(...all.map(({ disagreementSupport }) => disagreementSupport));
      const first = all.find(({ disagreementSupport }) => disagreementSupport > top - 1e-13)!;
      expect(selectReferences(pool, size).references).toEqual(first.references);
      expect(selectReferences(pool, size).disagreementSupport).toBeCloseTo(top, 14);
    }),
    SEEDED,
  );
});

test('means that differ in the 12th digit are told apart, those that differ beyond it are a tie that the lower id wins', () => {
  const chosen = (b: number) => {
    const pool = [
      { id: 'a', meanSupport: 0.5 },
      { id: 'b', meanSupport: b },
    ];
    return selectReferences(pool, 1).references;
  };
  expect(chosen(0.5 + 1e-11)).toEqual(['b']);
  expect(chosen(0.5 + 1e-14)).toEqual(['a']);
});

test('every combination is listed once', () => {
  const pool = ['d', 'a', 'c', 'b'].map((id, i) => ({ id, meanSupport: i / 10 }));
  expect(enumerateCombinations(pool, 2).map(({ references }) => references.join(''))).toEqual([
    'ab',
    'ac',
    'ad',
    'bc',
    'bd',
    'cd',
  ]);
  expect(() => enumerateCombinations(pool, 5)).toThrow(/from 1 to 4, the size of the reference pool \(a, b, c, d\)/);
});

test('means are over D alone; without D there is nothing to select', () => {
  const pool = [{ id: 'r', support: Float64Array.of(0.5, 9, 0.25) }];
  expect(referenceMeans(pool, Int32Array.of(0, 2))).toEqual([{ id: 'r', meanSupport: 0.375 }]);
  expect(referenceMeans(pool, Int32Array.of())).toBeNull();
});

test('an M that is no whole number, or not one of 1 to the size of the pool, is refused with the pool', () => {
  const pool = ['a', 'b', 'c'].map((id) => ({ id, meanSupport: 0.5 }));
  for (const size of [0, 1.5, 4, Number.NaN])
    expect(() => selectReferences(pool, size)).toThrow(/from 1 to 3, .*\(a, b, c\)/);
  expect(selectReferences(pool, 3).references).toEqual(['a', 'b', 'c']);
});
