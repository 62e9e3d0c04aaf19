import { describe, expect, test } from 'vitest';
import { splitExamples } from '../../src/calibration/split-examples.js';
import { shuffle } from '../../src/numeric/random/shuffle.js';

const idsOf = (count: number) => Array.from({ length: count }, (_, n) => `q${String(n).padStart(5, '0')}`);
const split = (ids: string[], contentHashes: string[] | null, seed = 1, calibrationFraction = 0.3) =>
  splitExamples({ ids, contentHashes, seed, calibrationFraction });

test('the calibration side is floor(0.3 N), for every N', () => {
  for (let count = 0; count <= 400; count++) {
    expect(split(idsOf(count), null).calibration.length).toBe(Math.floor((3 * count) / 10));
  }
});

test('without copies it is the beginning of the shuffled id order, both sides given in id order', () => {
  const { calibration, evaluation, copies } = split(idsOf(50), null, 7);
  expect([...calibration]).toEqual([...shuffle(50, 7).slice(0, 15)].sort((a, b) => a - b));
  expect([...calibration, ...evaluation].sort((a, b) => a - b)).toEqual([...Array(50).keys()]);
  expect(copies).toBe(0);
});

test('the order of the file changes nothing', () => {
  const ids = idsOf(40);
  const mixed = [...shuffle(40, 99)].map((n) => ids[n]!);
  const names = (list: string[], indexes: Int32Array) => [...indexes].map((n) => list[n]);
  expect(names(mixed, split(mixed, null).calibration)).toEqual(names(ids, split(ids, null).calibration));
});

test('ids are in order of their code units, whatever the locale', () => {
  const { calibration, evaluation } = split(['b', 'B', 'ä', 'a', 'a10', 'a9'], null, 1, 0.5);
  const order = ['B', 'a', 'a10', 'a9', 'b', 'ä'];
  const taken = [...calibration].map((n) => order.indexOf(['b', 'B', 'ä', 'a', 'a10', 'a9'][n]!));
  expect(taken).toEqual([...taken].sort((a, b) => a - b));
  expect(calibration.length + evaluation.length).toBe(6);
});

describe('copies', () => {
  test('stay on one side for every seed and are counted', () => {
    const ids = idsOf(10);
    const hashes = ids.map((id, n) => (n === 8 ? ids[2]! : id));
    for (let seed = 1; seed <= 60; seed++) {
      const { calibration, copies } = split(ids, hashes, seed);
      expect(calibration.includes(2)).toBe(calibration.includes(8));
      expect(calibration.length).toBeLessThanOrEqual(3);
      expect(copies).toBe(1);
    }
  });

  test('that do not fit go to evaluation whole, and later examples fill the place', () => {
    const ids = idsOf(10);
    const hashes = ids.map((_, n) => (n < 6 ? 'same' : `own ${n}`));
    for (let seed = 1; seed <= 20; seed++) expect(split(ids, hashes, seed).calibration.length).toBe(3);
  });
});

test('seeds give different splits', () => {
  const all = [1, 2, 3, 4, 5].map((seed) => split(idsOf(100), null, seed).calibration.join());
  expect(new Set(all).size).toBe(5);
});
