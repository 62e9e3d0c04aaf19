/** A whole number as a decimal with `scale` digits after the point, exact: 110 with scale 2 is "1.10". */
export function decimalText(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const text = scale > 0 ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits;
  return unscaled < 0n ? `-${text}` : text;
}
