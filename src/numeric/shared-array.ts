type Numbers = Int32Array | Float64Array | Uint8Array;

/** The numbers in memory that threads share: the array itself when it is there already, else a copy. */
export function sharedArray<T extends Numbers>(array: T): T {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const Kind = array.constructor as new (buffer: SharedArrayBuffer) => T;
  const shared = new Kind(new SharedArrayBuffer(array.byteLength));
  shared.set(array);
  return shared;
}
