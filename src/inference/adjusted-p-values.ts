/**
 * p-values of one table, adjusted so that the chance of any false rejection is kept (Holm 1979): with ascending p_(1)
 * .. p_(m), p~_(i) = max over j <= i of min(1, (m - j + 1) p_(j)). In the order given.
 */
export function holmAdjusted(pValues: readonly number[]): number[] {
  const order = ascending(pValues);
  const adjusted = pValues.slice();
  let most = 0;
  for (const [rank, i] of order.entries()) {
    most = Math.max(most, Math.min(1, (order.length - rank) * (pValues[i] ?? 1)));
    adjusted[i] = most;
  }
  return adjusted;
}

/**
 * p-values adjusted so that the expected share of false rejections is kept (Benjamini and Hochberg 1995): p~_(i) = min
 * over j >= i of min(1, m p_(j) / j).
 */
export function falseDiscoveryAdjusted(pValues: readonly number[]): number[] {
  const order = ascending(pValues);
  const adjusted = pValues.slice();
  let least = 1;
  for (let rank = order.length; rank > 0; rank--) {
    const i = order[rank - 1] ?? 0;
    least = Math.min(least, (order.length * (pValues[i] ?? 1)) / rank);
    adjusted[i] = least;
  }
  return adjusted;
}

function ascending(values: readonly number[]): number[] {
  return [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
}
