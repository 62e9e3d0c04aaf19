export const NOT_AVAILABLE = 'n/a';

/** Two decimals (or as many as asked), `n/a` for null. */
export function formatFixed(value: number | null, decimals = 2): string {
  return value === null ? NOT_AVAILABLE : value.toFixed(decimals);
}

/** A difference with its sign: `+16.1`, `-0.4`, `0.0`. */
export function formatSigned(value: number | null, decimals = 1): string {
  if (value === null) return NOT_AVAILABLE;
  const text = value.toFixed(decimals);
  if (Number(text) === 0) return (0).toFixed(decimals);
  return value > 0 ? `+${text}` : text;
}

/** A fraction in [0, 1] as a percentage, without the sign. */
export function formatPercent(fraction: number | null, decimals = 1): string {
  return formatFixed(fraction === null ? null : 100 * fraction, decimals);
}

/** A positive number over many magnitudes (a temperature): four significant digits, exponent where that is shorter. */
export function formatSignificant(value: number | null, digits = 4): string {
  if (value === null) return NOT_AVAILABLE;
  const text = value.toPrecision(digits);
  return text.length <= digits + 4 ? text : value.toExponential(digits - 1);
}

/** Whole number with thousands separators, the same in every locale. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}
