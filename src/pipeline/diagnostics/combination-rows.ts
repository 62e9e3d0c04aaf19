import type { TargetCalibration } from '../../calibration/calibrate-target.js';
import { combinationCount, enumerateCombinations } from '../../calibration/references/enumerate-combinations.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';

export interface RowSplit {
  readonly seed: number;
  readonly calibration: Int32Array;
  readonly evaluation: Int32Array;
}

/** More combinations than this per target, M and seed are not listed. */
const MOST_COMBINATIONS = 10_000;

type Row = Omit<NonNullable<Diagnostics['combinations']>[number], 'dataset' | 'target'>;

/**
 * DS of every combination of every M and seed (Eq. (ds)), best first. A pool so large that there are more than 10,000
 * combinations of a size gives a warning in place of the rows; the selected combination is in results.json either way.
 */
export function combinationRows(
  calibration: TargetCalibration,
  combinationSizes: readonly number[],
  splits: readonly RowSplit[],
): { rows: Row[]; warning: string | null } {
  const rows: Row[] = [];
  const refused = new Map<number, number>();
  for (const { seed, calibration: indexes } of splits) {
    const split = calibration.open(indexes);
    const means = split.referenceMeans;
    if (means === null) continue;
    for (const size of combinationSizes) {
      const count = combinationCount(means.length, size);
      if (count > MOST_COMBINATIONS) refused.set(size, count);
      else rows.push(...rowsOf(enumerateCombinations(means, size), split.select(size)?.references ?? [], seed, size));
    }
  }
  const sizes = [...refused].map(([size, count]) => `${count.toLocaleString('en-US')} of size M = ${size}`).join(', ');
  const warning =
    refused.size === 0
      ? null
      : `its combinations are not listed, there are ${sizes} (at most ${MOST_COMBINATIONS.toLocaleString('en-US')})`;
  return { rows, warning };
}

function rowsOf(
  all: ReturnType<typeof enumerateCombinations>,
  chosen: readonly string[],
  seed: number,
  combinationSize: number,
): Row[] {
  return [...all]
    .sort((a, b) => b.disagreementSupport - a.disagreementSupport)
    .map(({ references, disagreementSupport }) => ({
      seed,
      combinationSize,
      references: [...references],
      disagreementSupport,
      selected: references.every((id, r) => id === chosen[r]),
    }));
}
