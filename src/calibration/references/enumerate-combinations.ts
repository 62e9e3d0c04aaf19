import { checkCombinationSize, disagreementSupport, type ReferenceMean, type Selection } from './select-references.js';

/**
 * DS(S) of every S in R with |S| = M, as Eq. (selector) is written; the reference for `selectReferences` and the list
 * behind a report of all combinations. Combinations come in id order; there are C(|R|, M) of them.
 */
export function enumerateCombinations(means: readonly ReferenceMean[], combinationSize: number): Selection[] {
  const pool = [...means].sort((a, b) => (a.id < b.id ? -1 : 1));
  checkCombinationSize(
    pool.map(({ id }) => id),
    combinationSize,
  );
  return subsets(pool, combinationSize).map((members) => ({
    references: members.map(({ id }) => id),
    disagreementSupport: disagreementSupport(members),
  }));
}

function subsets<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return items.flatMap((first, i) => subsets(items.slice(i + 1), size - 1).map((rest) => [first, ...rest]));
}

/**
 * C(n, k), how many S Eq. (selector) chooses from, in floating point: exact up to 2^53, infinite beyond float64; 0 when
 * k > n.
 */
export function combinationCount(n: number, k: number): number {
  if (k > n) return 0;
  let count = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) count = (count * (n - Math.min(k, n - k) + i)) / i;
  return Math.round(count);
}
