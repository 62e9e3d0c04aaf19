import { normalQuantile, twoSidedP } from './normal-law.js';

/**
 * The difference that a two-sided z test of level 0.05 finds with the given power (Cohen 1988): (z_(1 - 0.025 / m) + z_power) x standard error, in the
 * unit of the standard error; m is the number of comparisons that share the level (Bonferroni, what the first step of Holm asks).
 */
export function detectableDifference(standardError: number, power = 0.8, comparisons = 1): number {
  return (normalQuantile(1 - 0.025 / comparisons) + normalQuantile(power)) * standardError;
}

/** The power of that test against a difference (Cohen 1988): P(|Z + difference / standard error| >= z_(1 - 0.025 / m)), in [0, 1]. */
export function powerAgainst(difference: number, standardError: number, comparisons = 1): number {
  const [z, shift] = [normalQuantile(1 - 0.025 / comparisons), Math.abs(difference) / standardError];
  const above = (x: number) => (x > 0 ? twoSidedP(x) / 2 : 1 - twoSidedP(x) / 2);
  return above(z - shift) + above(z + shift);
}
