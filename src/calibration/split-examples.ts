import { floorOfShare } from '../numeric/floor-of-share.js';
import { shuffle } from '../numeric/random/shuffle.js';
import { stringOrder } from '../numeric/string-order.js';

export interface SplitInput {
  /** Ids of the N usable examples, all different. */
  readonly ids: readonly string[];
  /** One per example; equal hashes are copies of one another. null: no two examples are copies. */
  readonly contentHashes: readonly string[] | null;
  readonly seed: number;
  /** Between 0 and 1. */
  readonly calibrationFraction: number;
}

export interface Split {
  /** Indexes into `ids`, in id order. */
  readonly calibration: Int32Array;
  readonly evaluation: Int32Array;
  /** Examples whose content an example earlier in id order has too. */
  readonly copies: number;
}

/**
 * Splits examples into floor(fraction x N) for calibration and the rest for evaluation (Sec. experiments: 30 % and 70
 * %).
 *
 * Ids are put in order of their code units and shuffled; the calibration side is the beginning of that order. Copies
 * stay on one side: walking the shuffled order, a group of copies goes to calibration when all of it still fits, so
 * with copies the calibration side can end up a few examples short. The result depends on ids, hashes and seed only,
 * never on the order of the file.
 */
export function splitExamples({ ids, contentHashes, seed, calibrationFraction }: SplitInput): Split {
  return exampleSplitter(ids, contentHashes)(seed, calibrationFraction);
}

/** `splitExamples` (Sec. experiments) for many seeds: ids are sorted and copies found once. */
export function exampleSplitter(
  ids: readonly string[],
  contentHashes: readonly string[] | null,
): (seed: number, calibrationFraction: number) => Split {
  const byId = stringOrder(ids);
  const groups = groupNumbers(byId, contentHashes);
  const sizes = new Int32Array(groups.count);
  for (const group of groups.ofRank) sizes[group]!++;

  return (seed, calibrationFraction) => {
    const capacity = floorOfShare(calibrationFraction, ids.length);
    const order = shuffle(ids.length, seed);
    const chosen =
      groups.count === ids.length ? chooseFirst(order, capacity) : chooseGroups(order, groups.ofRank, sizes, capacity);
    const side = (wanted: 0 | 1) => {
      const taken = new Int32Array(byId.length);
      let count = 0;
      for (let rank = 0; rank < byId.length; rank++) {
        if (chosen[groups.ofRank[rank]!] === wanted) taken[count++] = byId[rank]!;
      }
      return taken.slice(0, count);
    };
    return { calibration: side(1), evaluation: side(0), copies: ids.length - groups.count };
  };
}

/** What `chooseGroups` comes to where no two examples are copies: 1 for the examples that come first. */
function chooseFirst(order: Int32Array, capacity: number): Uint8Array {
  const chosen = new Uint8Array(order.length);
  for (const n of order.subarray(0, capacity)) chosen[n] = 1;
  return chosen;
}

/** 1 for every group that goes to calibration. */
function chooseGroups(order: Int32Array, groupOf: Int32Array, sizes: Int32Array, capacity: number): Uint8Array {
  const chosen = new Uint8Array(sizes.length);
  const seen = new Uint8Array(sizes.length);
  let taken = 0;
  for (const n of order) {
    const group = groupOf[n]!;
    if (seen[group] === 1) continue;
    seen[group] = 1;
    const size = sizes[group]!;
    if (taken + size > capacity) continue;
    chosen[group] = 1;
    taken += size;
  }
  return chosen;
}

/** Numbers the distinct contents in id order; ofRank[r] is the number of the r-th example in id order. */
function groupNumbers(byId: Int32Array, hashes: readonly string[] | null): { ofRank: Int32Array; count: number } {
  if (hashes === null) return { ofRank: byId.map((_, rank) => rank), count: byId.length };
  const numbers = new Map<string, number>();
  const ofRank = byId.map((n) => {
    const hash = hashes[n]!;
    const number = numbers.get(hash) ?? numbers.size;
    numbers.set(hash, number);
    return number;
  });
  return { ofRank, count: numbers.size };
}
