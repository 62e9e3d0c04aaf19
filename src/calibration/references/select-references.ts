import { SupportCalError } from '../../errors/supportcal-error.js';
import { CompensatedSum } from '../../numeric/compensated-sum.js';

export interface ReferenceSupport {
  readonly id: string;
  /** N relative supports of Eq. (relsupport); only the rows of D are read. */
  readonly support: Float64Array;
}

export interface ReferenceMean {
  readonly id: string;
  /** Mean relative support over D, in [0, 1]. */
  readonly meanSupport: number;
}

export interface Selection {
  /** The M chosen ids, in order of their code units. */
  readonly references: readonly string[];
  /** DS(S*), Eq. (ds), in [0, 1]. */
  readonly disagreementSupport: number;
}

/**
 * Mean relative support over D of every reference of the pool, of which Eq. (ds) is the mean, in id order; null when D
 * is empty.
 */
export function referenceMeans(pool: readonly ReferenceSupport[], disagreement: Int32Array): ReferenceMean[] | null {
  if (disagreement.length === 0) return null;
  return pool
    .map(({ id, support }) => {
      const sum = new CompensatedSum();
      for (const n of disagreement) sum.add(support[n]!);
      return { id, meanSupport: sum.value / disagreement.length };
    })
    .sort(byId);
}

/**
 * S* of Eq. (selector). DS(S) is the mean of its members' means, so the best combination is the M references with the
 * largest mean support; means equal to 12 significant digits are a tie, which the lower id wins (a shift of all logits
 * moves the last digits).
 */
export function selectReferences(means: readonly ReferenceMean[], combinationSize: number): Selection {
  checkCombinationSize(
    means.map(({ id }) => id),
    combinationSize,
  );
  const chosen = [...means]
    .sort((a, b) => roundedSupport(b) - roundedSupport(a) || byId(a, b))
    .slice(0, combinationSize)
    .sort(byId);
  return { references: chosen.map(({ id }) => id), disagreementSupport: disagreementSupport(chosen) };
}

/** DS(S) of Eq. (ds) for the given members of S. */
export function disagreementSupport(members: readonly ReferenceMean[]): number {
  const sum = new CompensatedSum();
  for (const { meanSupport } of members) sum.add(meanSupport);
  return sum.value / members.length;
}

/** Refuses an M of Eq. (selector) below 1 or above the size of the pool. */
export function checkCombinationSize(pool: readonly string[], combinationSize: number): void {
  if (Number.isInteger(combinationSize) && combinationSize >= 1 && combinationSize <= pool.length) return;
  throw new SupportCalError('bad-input', {
    field: 'combinationSizes',
    message:
      `expected a whole number from 1 to ${pool.length}, the size of the reference pool ` +
      `(${pool.length === 0 ? 'empty' : pool.join(', ')}), but M is ${combinationSize}; ` +
      (pool.length === 0 ? 'add base models to the bucket' : 'lower M or add base models to the bucket'),
  });
}

function roundedSupport(mean: ReferenceMean): number {
  return Number(mean.meanSupport.toPrecision(12));
}

function byId(a: ReferenceMean, b: ReferenceMean): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
