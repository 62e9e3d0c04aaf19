type Numbers = Float64Array | Int32Array | Uint8Array;

/**
 * Large arrays that are used again, by name: an array stands until the next one of its name is taken. Arrays that are
 * made anew for every evaluation of a million examples cost a quarter of its time, in fresh memory and in collecting
 * it. What an array holds when it is taken is undefined.
 */
export class Scratch {
  readonly #float64 = new Map<string, Float64Array>();
  readonly #int32 = new Map<string, Int32Array>();
  readonly #uint8 = new Map<string, Uint8Array>();

  float64(name: string, length: number): Float64Array {
    return take(this.#float64, Float64Array, name, length);
  }

  int32(name: string, length: number): Int32Array {
    return take(this.#int32, Int32Array, name, length);
  }

  uint8(name: string, length: number): Uint8Array {
    return take(this.#uint8, Uint8Array, name, length);
  }
}

function take<T extends Numbers>(
  arrays: Map<string, T>,
  Kind: new (length: number) => T,
  name: string,
  length: number,
): T {
  let array = arrays.get(name);
  if (array === undefined || array.length < length) {
    array = new Kind(length);
    arrays.set(name, array);
  }
  return (array.length === length ? array : array.subarray(0, length)) as T;
}
