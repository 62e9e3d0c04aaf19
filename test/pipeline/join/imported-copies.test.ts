import { expect, it } from 'vitest';
import { raggedRows } from '../../../src/numeric/ragged-rows.js';
import { importedCopies } from '../../../src/pipeline/join/imported-copies.js';

const row = (n: number, m: number) => [Math.sin(7 * n + m), Math.cos(3 * n + m), 0.5 * n];

it('finds rows that are equal in every model, whatever their place', () => {
  const original = (n: number) => (n === 20 ? 3 : n === 41 ? 3 : n);
  const models = [1, 2].map((m) => raggedRows(Array.from({ length: 50 }, (_, n) => row(original(n), m))));
  const copies = importedCopies(models);
  expect([...(copies ?? [])].flatMap((first, n) => (first === n ? [] : [[n, first]]))).toEqual([
    [20, 3],
    [41, 3],
  ]);
});

it('takes rows that one model tells apart for two', () => {
  const models = [1, 2].map((m) =>
    raggedRows(Array.from({ length: 50 }, (_, n) => row(n === 20 && m === 1 ? 3 : n, m))),
  );
  expect(importedCopies(models)).toBeNull();
});

it('does not take certain or rounded scores, equal by chance, for copies', () => {
  const certain = (m: number) =>
    raggedRows(Array.from({ length: 60 }, (_, n) => ((n * m) % 3 === 0 ? [0, -5] : [-5, 0])));
  expect(importedCopies([certain(1), certain(2)])).toBeNull();
});

it('knows no copy of an example that a model lacks, and none without models', () => {
  const models = [1, 2].map((m) =>
    raggedRows(Array.from({ length: 50 }, (_, n) => (n === 3 && m === 2 ? [] : row(n === 20 ? 3 : n, m)))),
  );
  expect(importedCopies(models)).toBeNull();
  expect(importedCopies([])).toBeNull();
});

it('finds one copy among thousands of rows of whole numbers, whose bits are alike', () => {
  const model = raggedRows(Array.from({ length: 5_000 }, (_, n) => [n === 4_321 ? 77 : n, -3]));
  const copies = importedCopies([model, model]);
  expect([...(copies ?? [])].flatMap((first, n) => (first === n ? [] : [[n, first]]))).toEqual([[4_321, 77]]);
});
