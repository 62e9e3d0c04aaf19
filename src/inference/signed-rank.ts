/** Exact two-sided test that differences lie symmetrically around 0. */
export interface SignedRank {
  /** Differences that are not 0. */
  readonly count: number;
  /** Sum of the ranks of the differences above 0. */
  readonly statistic: number;
  /** In (0, 1]. */
  readonly pValue: number;
  /** The smallest p that this many differences can give: 2^(1 - count), 1 for none. */
  readonly leastP: number;
}

/**
 * Wilcoxon's (1945) signed-rank test with its exact law given the ranks of |d|: all 2^n signs are alike, counted by
 * sums of doubled midranks, so that ties are exact too. Differences of 0 are left out. What sums in another order give
 * another last digit is one number: differences are compared to twelve digits, and those of 1e-12 or less are 0.
 */
export function signedRank(differences: readonly number[]): SignedRank {
  const nonZero = differences.filter((each) => Math.abs(each) > 1e-12).map((each) => Number(each.toPrecision(12)));
  const ranks = doubledMidranks(nonZero.map(Math.abs));
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  let ways = new Float64Array(total + 1);
  ways[0] = 1;
  for (const rank of ranks) {
    ways = ways.map((count, sum) => (count + (sum < rank ? 0 : (ways[sum - rank] ?? 0))) / 2);
  }
  const statistic = ranks.reduce((sum, rank, i) => sum + ((nonZero[i] ?? 0) > 0 ? rank : 0), 0);
  const lower = ways.subarray(0, statistic + 1).reduce((sum, share) => sum + share, 0);
  const upper = ways.subarray(statistic).reduce((sum, share) => sum + share, 0);
  const count = nonZero.length;
  return {
    count,
    statistic: statistic / 2,
    pValue: Math.min(1, 2 * Math.min(lower, upper)),
    leastP: Math.min(1, 2 ** (1 - count)),
  };
}

function doubledMidranks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const same = values.filter((other) => other === value).length;
    return 2 * below + same + 1;
  });
}
