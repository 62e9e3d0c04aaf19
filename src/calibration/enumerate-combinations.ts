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
