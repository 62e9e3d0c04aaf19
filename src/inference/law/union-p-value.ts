/**
 * p of the hypothesis that the mean of one of two statistics is 0, whichever, from the p of each alone. The larger one
 * (intersection-union, Berger 1982; here the likelihood ratio as well) is exact where one of the means is far from 0,
 * but where both are 0 it is at most 0.05 with a chance of 0.0025. No test that more evidence never weakens does better
 * (van Garderen and van Giersbergen 2022). So its rejections are augmented, as by Hillier, van Garderen and van
 * Giersbergen (2024), here by those of nearly equal p, |p - q| <= alpha / 2. Whatever one p is, the other one is then
 * in a range of length alpha, and the level is alpha wherever on the hypothesis the truth lies (0.05: 0.048 to 0.051
 * by quadrature).
 *
 * @param correlation of the statistics. The range is (1 - |correlation|) times as long: the larger p becomes exact by
 *   itself where both statistics say the same (0.05: 0.036 to 0.051)
 * @returns in (0, 1]
 */
export function unionPValue(p: number, q: number, correlation = 0): number {
  const larger = Math.max(p, q);
  const alone = 1 - Math.abs(correlation);
  const alike = alone > 0 ? (2 * Math.abs(p - q)) / alone : 1;
  return Math.max(Number.EPSILON, Math.min(larger, alike));
}
