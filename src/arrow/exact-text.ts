/** A whole number as a decimal with `scale` digits after the point, exact: 110 with scale 2 is "1.10". */
export function decimalText(unscaled: bigint, scale: number): string {
  if (scale < 0) return (unscaled * 10n ** BigInt(-scale)).toString();
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const text = scale > 0 ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits;
  return unscaled < 0n ? `-${text}` : text;
}

/** Milliseconds since 1970 that a date can have. */
const LAST_DATE = 8_640_000_000_000_000n;

/**
 * A moment as ISO 8601 in UTC. Three digits after the point, and as many groups of three more as the moment needs, so
 * that two moments never have one text. Moments that no date has keep their number.
 *
 * @param units since 1970
 * @param digits of a second that a unit has: 0, 3, 6 or 9
 */
export function instantText(units: bigint, digits: number): string {
  const [milliseconds, rest] = splitAtMilliseconds(units, digits);
  if (milliseconds < -LAST_DATE || milliseconds > LAST_DATE) return units.toString();
  return `${new Date(Number(milliseconds)).toISOString().slice(0, -1)}${rest}Z`;
}

const DAY = 86_400_000n;

/** A time of day, "01:02:03.000", with more digits as a moment has them; the number where it is none of a day. */
export function timeText(units: bigint, digits: number): string {
  const [milliseconds, rest] = splitAtMilliseconds(units, digits);
  if (milliseconds < 0n || milliseconds >= DAY) return units.toString();
  return `${new Date(Number(milliseconds)).toISOString().slice(11, -1)}${rest}`;
}

/** Whole milliseconds, and the digits behind them as far as they are not 0. */
function splitAtMilliseconds(units: bigint, digits: number): [bigint, string] {
  if (digits <= 3) return [units * 10n ** BigInt(3 - digits), ''];
  const factor = 10n ** BigInt(digits - 3);
  const rest = ((units % factor) + factor) % factor;
  const text = rest.toString().padStart(digits - 3, '0');
  return [(units - rest) / factor, text.replace(/(000)+$/, '')];
}
