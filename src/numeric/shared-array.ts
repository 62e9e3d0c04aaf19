type Numbers = Int32Array | Float64Array | Uint8Array;

/** The numbers in memory that threads share: the array itself when it is there already, else a copy. */
export function sharedArray<T extends Numbers>(array: T): T {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const Kind = array.constructor as new (buffer: SharedArrayBuffer) => T;
  const shared = new Kind(new SharedArrayBuffer(array.byteLength));
  shared.set(array);
  return shared;
}

/**
 * Zeros in memory that threads share where `other` lies in such memory: what is made of shared numbers is then shared
 * without a copy.
 */
export function zerosBeside<T extends Numbers>(other: Numbers, Kind: NumbersKind<T>, length: number): T {
  const Room = other.buffer.constructor as new (bytes: number) => ArrayBuffer;
  return new Kind(new Room(Kind.BYTES_PER_ELEMENT * length));
}

interface NumbersKind<T extends Numbers> {
  new (buffer: ArrayBuffer): T;
  readonly BYTES_PER_ELEMENT: number;
}

/**
 * A value of records and lists with every array of numbers in it in memory that threads share; an array that occurs
 * twice stays one.
 */
export function withSharedArrays<T>(value: T, known = new Map<unknown, unknown>()): T {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float64Array || value instanceof Int32Array || value instanceof Uint8Array) {
    const shared = known.get(value) ?? sharedArray(value);
    known.set(value, shared);
    return shared as T;
  }
  if (Array.isArray(value)) return value.map((each) => withSharedArrays(each, known)) as T;
  const entries = Object.entries(value).map(([key, each]) => [key, withSharedArrays(each, known)] as const);
  return Object.fromEntries(entries) as T;
}
