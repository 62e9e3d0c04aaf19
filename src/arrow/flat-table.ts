/** A table of a FlatBuffer, as far as the metadata of Arrow needs it: `at(n)` is where its field n lies. */
export interface FlatTable {
  /** null where the field has its default value. */
  at(field: number): number | null;
}

/**
 * The table to which the offset at `position` points.
 *
 * @throws RangeError where an offset leaves the bytes
 */
export function flatTable(view: DataView, position: number): FlatTable {
  const table = position + view.getUint32(position, true);
  const vtable = table - view.getInt32(table, true);
  const size = view.getUint16(vtable, true);
  return {
    at(field) {
      const entry = 4 + 2 * field;
      const offset = entry < size ? view.getUint16(vtable + entry, true) : 0;
      return offset === 0 ? null : table + offset;
    },
  };
}

/** Where the elements of a vector lie to which the offset at `position` points; none where there is no vector. */
export function flatVector(view: DataView, position: number | null, stride: number): number[] {
  if (position === null) return [];
  const start = position + view.getUint32(position, true);
  const length = view.getUint32(start, true);
  if (start + 4 + length * stride > view.byteLength) throw new RangeError('a vector reaches outside its bytes');
  return Array.from({ length }, (_, n) => start + 4 + n * stride);
}
