import type { SchemaTree } from 'hyparquet';
import { decimalText, instantText, timeText } from '../../arrow/exact-text.js';
import { JsonReader } from '../json/parse-json.js';
import { type RowValue, setField, unreadableCell } from '../row/source-row.js';
import { plainCell } from './plain-cell.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * hyparquet replaces bytes that are not UTF-8, rounds integers of JSON columns and moments to milliseconds, and turns
 * shapes into objects; these parsers do not.
 */
export const exactParsers = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && new JsonReader(utf8.decode(bytes)).readAll(),
  geometryFromBytes: (bytes: Uint8Array | undefined) => bytes,
  geographyFromBytes: (bytes: Uint8Array | undefined) => bytes,
  timestampFromMilliseconds: (units: bigint | null | undefined) => instant(units, 3),
  timestampFromMicroseconds: (units: bigint | null | undefined) => instant(units, 6),
  timestampFromNanoseconds: (units: bigint | null | undefined) => instant(units, 9),
};

function instant(units: bigint | number | null | undefined, digits: number) {
  return units === null || units === undefined ? units : instantText(BigInt(units), digits);
}

/** A cell as hyparquet gives it, as the plain value that other formats have for it. */
export type ParquetCell = (value: unknown) => RowValue;

/**
 * How the cells of a column become plain values. Marks that would make hyparquet round (decimals) or leave a unit out
 * (times of day) are taken off the schema, at any depth, and are followed here.
 *
 * @param column is changed
 */
export function parquetCells(column: SchemaTree): ParquetCell {
  const why = unreadable(column);
  if (why === null) return cellsOf(column);
  const cell = unreadableCell(why);
  return () => cell;
}

/** Why the cells of a column, or of a column inside it, cannot be read as what they mean. */
export function unreadable({ element, children }: SchemaTree): string | null {
  if (element.converted_type === 'INTERVAL' || element.converted_type === 'BSON') return element.converted_type;
  const names = children.map((child) => child.element.name);
  if (new Set(names).size < names.length || names.includes('__proto__'))
    return 'a struct with two fields of one name, or a field called __proto__';
  for (const child of children) {
    const why = unreadable(child);
    if (why !== null) return why;
  }
  return null;
}

function cellsOf(column: SchemaTree): ParquetCell {
  const { element, children } = column;
  const one = children.length === 0 ? leafCells(column) : groupCells(column);
  // A repeated field without a list around it is a list all the same.
  return element.repetition_type === 'REPEATED' ? listOf(one) : orNull(one);
}

function leafCells({ element }: SchemaTree): ParquetCell {
  const { logical_type: logical, converted_type: converted } = element;
  if (converted === 'DECIMAL' || logical?.type === 'DECIMAL') {
    const scale = element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0);
    delete element.converted_type;
    delete element.logical_type;
    return (value) => decimalText(wholeNumber(value), scale);
  }
  const digits = timeDigits(element);
  return digits === null ? plainCell : (value) => timeText(BigInt(value as number | bigint), digits);
}

function timeDigits({ logical_type: logical, converted_type: converted }: SchemaTree['element']): number | null {
  if (logical?.type === 'TIME') return { MILLIS: 3, MICROS: 6, NANOS: 9 }[logical.unit];
  return converted === 'TIME_MILLIS' ? 3 : converted === 'TIME_MICROS' ? 6 : null;
}

function groupCells(column: SchemaTree): ParquetCell {
  const { element, children } = column;
  const [first] = children;
  const repeated = children.length === 1 && first?.element.repetition_type === 'REPEATED' ? first : null;
  if (element.converted_type === 'LIST' && repeated !== null && repeated.children.length <= 1) {
    const [item] = repeated.children;
    return listOf(item === undefined ? orNull(leafCells(repeated)) : cellsOf(item));
  }
  if (element.converted_type === 'MAP' && repeated?.children.length === 2) {
    const [, value] = repeated.children;
    if (value === undefined) return plainCell;
    const one = cellsOf(value);
    return objectOf(() => one);
  }
  if (element.logical_type?.type === 'VARIANT') return plainCell;
  const fields = new Map(children.map((child) => [child.element.name, cellsOf(child)] as const));
  return objectOf((name) => fields.get(name) ?? plainCell);
}

function orNull(one: ParquetCell): ParquetCell {
  return (value) => (value === null || value === undefined ? null : one(value));
}

function listOf(one: ParquetCell): ParquetCell {
  return orNull((value) => Array.from(value as ArrayLike<unknown>, (each) => one(each)));
}

function objectOf(cellsOfField: (name: string) => ParquetCell): ParquetCell {
  return (value) => {
    const object: Record<string, RowValue> = {};
    for (const [name, inner] of Object.entries(value as object)) setField(object, name, cellsOfField(name)(inner));
    return object;
  };
}

/** Two's complement bytes, highest first, or an integer. */
function wholeNumber(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as number | bigint);
  const unsigned = BigInt(`0x${Buffer.from(value).toString('hex') || '0'}`);
  return BigInt.asIntN(Math.max(1, value.length * 8), unsigned);
}
