import { DataType, type Field, MapRow, StructRow, type Vector, Vector as VectorClass } from 'apache-arrow';

/**
 * An Arrow cell as a plain JavaScript value. Lists become arrays, structs and maps objects without prototype, decimals
 * exact text, dates and times of day on a date Date objects; 64-bit integers stay bigint, since 9007199254740993 and
 * ...992 round to one number.
 */
export function plainValue(value: unknown, type: DataType): unknown {
  if (value === null || value === undefined) return null;
  if (DataType.isDictionary(type)) return plainValue(value, type.dictionary);
  if (DataType.isDecimal(type)) return decimalText(unscaledOf(value as Uint32Array), type.scale);
  // Both are milliseconds since 1970 whatever the unit of the column.
  if ((DataType.isDate(type) || DataType.isTimestamp(type)) && typeof value === 'number') return new Date(value);
  if (value instanceof VectorClass) {
    const list = value as Vector;
    return Array.from({ length: list.length }, (_, n) => plainValue(list.get(n), list.type));
  }
  if (value instanceof StructRow || value instanceof MapRow)
    return plainObject(value as Iterable<[string, unknown]>, type);
  return value;
}

function plainObject(entries: Iterable<[string, unknown]>, type: DataType): Record<string, unknown> {
  const fields = new Map((type.children ?? []).map((field: Field) => [field.name, field.type] as const));
  const valueType = DataType.isMap(type) ? type.valueType : undefined;
  const result: Record<string, unknown> = Object.create(null);
  for (const [key, value] of entries) result[String(key)] = plainValue(value, fields.get(key) ?? valueType ?? type);
  return result;
}

/** Two's complement words, lowest first. */
function unscaledOf(words: Uint32Array): bigint {
  let unscaled = 0n;
  for (let n = words.length - 1; n >= 0; n--) unscaled = (unscaled << 32n) | BigInt(words[n]!);
  return BigInt.asIntN(words.length * 32, unscaled);
}

/** A whole number as a decimal with `scale` digits after the point, exact: 110 with scale 2 is "1.10". */
export function decimalText(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const text = scale > 0 ? `${digits.slice(0, -scale)}.${digits.slice(-scale)}` : digits;
  return unscaled < 0n ? `-${text}` : text;
}
