/**
 * floor(fraction x count) of the decimal number that the user wrote, in whole-number arithmetic:
 * 0.29 x 100 is 29, where float64 gives 28.999999999999996. `fraction` is 0 or more and finite.
 */
export function floorOfShare(fraction: number, count: number): number {
  const [mantissa, exponent] = fraction.toExponential().split('e') as [string, string];
  const digits = mantissa.replace('.', '');
  const decimals = digits.length - 1 - Number(exponent);
  const product = BigInt(digits) * BigInt(count);
  return Number(decimals > 0 ? product / 10n ** BigInt(decimals) : product * 10n ** BigInt(-decimals));
}
