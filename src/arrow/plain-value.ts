import { type DataType, type Field, TimeUnit, Type } from '@uwdata/flechette';
import { decimalText, instantText, timeText } from './exact-text.js';

/** How cells become plain values where that is more than this folder knows. */
export interface PlainOptions {
  /** Reads the text of a column of JSON (the extension type `arrow.json`). */
  readonly parseJson?: (text: string) => unknown;
}

/**
 * An Arrow cell as a plain JavaScript value, given as flechette has it with exact integers. Lists become arrays,
 * structs and maps objects without prototype, decimals, times of day and moments exact text, dates Date objects;
 * 64-bit integers stay bigint, since 9007199254740993 and ...992 round to one number.
 *
 * @throws Error where the cell has no value, which is a damage of the file
 */
export function plainValue(value: unknown, field: Field, options: PlainOptions = {}): unknown {
  if (value === null) return null;
  if (value === undefined) throw new Error('a cell has no value');
  const { type, metadata } = field;
  const extension = metadata?.get('ARROW:extension:name');
  if (extension === 'arrow.uuid' && value instanceof Uint8Array) return uuidText(value);
  if (extension === 'arrow.json' && typeof value === 'string' && options.parseJson) return options.parseJson(value);
  const inner = (cell: unknown, child: Field) => plainValue(cell, child, options);
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- cells of all other types mean what they are.
  switch (type.typeId) {
    case Type.Dictionary:
      return inner(value, unnamed(type.dictionary));
    case Type.RunEndEncoded:
      return inner(value, type.children[1]);
    case Type.Decimal:
      return decimalText(BigInt(value as number | bigint), type.scale);
    case Type.Date:
      return new Date(value as number);
    case Type.Timestamp:
      return instantText(BigInt(value as bigint), DIGITS[type.unit]);
    case Type.Time:
      return timeText(BigInt(value as number | bigint), DIGITS[type.unit]);
    case Type.List:
    case Type.LargeList:
    case Type.ListView:
    case Type.LargeListView:
    case Type.FixedSizeList:
      return Array.from(value as ArrayLike<unknown>, (cell) => inner(cell, type.children[0]));
    case Type.Map:
      return mapObject(value as [unknown, unknown][], type.children[0], inner);
    case Type.Struct:
      return structObject(value as Record<string, unknown>, type.children, inner);
    default:
      return value;
  }
}

/** Why the cells of a column cannot be read as what they mean; null where they can. */
export function unreadable(type: DataType): string | null {
  if (type.typeId === Type.Dictionary) return unreadable(type.dictionary);
  const children: readonly Field[] = 'children' in type ? type.children : [];
  if (type.typeId === Type.Union && children.some((child) => !PLAIN.has(child.type.typeId)))
    return 'a union of other types than numbers and texts';
  const names = children.map(({ name }) => name);
  if (type.typeId === Type.Struct && (new Set(names).size < names.length || names.includes('__proto__')))
    return 'a struct with two fields of one name, or a field called __proto__';
  for (const child of children) {
    const why = unreadable(child.type);
    if (why !== null) return why;
  }
  return null;
}

/** Types whose cells are plain values as flechette gives them. */
const PLAIN: ReadonlySet<number> = new Set([Type.Null, Type.Int, Type.Float, Type.Bool, Type.Utf8, Type.LargeUtf8]);

/** Decimal digits of a second that a unit of time has. */
const DIGITS = {
  [TimeUnit.SECOND]: 0,
  [TimeUnit.MILLISECOND]: 3,
  [TimeUnit.MICROSECOND]: 6,
  [TimeUnit.NANOSECOND]: 9,
} as const;

type Inner = (cell: unknown, child: Field) => unknown;

function unnamed(type: DataType): Field {
  return { name: '', type, nullable: true, metadata: new Map() };
}

function mapObject(entries: readonly [unknown, unknown][], { type }: Field, inner: Inner): Record<string, unknown> {
  const [keyField, valueField] = 'children' in type ? (type.children as readonly Field[]) : [];
  const result: Record<string, unknown> = Object.create(null);
  if (keyField === undefined || valueField === undefined) throw new Error('a map has no keys or no values');
  for (const [key, value] of entries) result[String(inner(key, keyField))] = inner(value, valueField);
  return result;
}

function structObject(value: Record<string, unknown>, fields: readonly Field[], inner: Inner): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null);
  for (const field of fields) result[field.name] = inner(value[field.name], field);
  return result;
}

function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex');
  return [8, 12, 16, 20, 32].map((end, n) => hex.slice([0, 8, 12, 16, 20][n], end)).join('-');
}
