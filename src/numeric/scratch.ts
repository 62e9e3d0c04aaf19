type Numbers = Float64Array | Int32Array | Uint8Array;

/**
 * Large arrays that are used again, by name: an array stands until the next one of its name is taken. Arrays that are
 * made anew for every evaluation of a million examples cost a quarter of its time, in fresh memory and in collecting
 * it. What an array holds when it is taken is undefined.
 */
export class Scratch {
  readonly #arrays = new Map<string, Numbers>();

  float64(name: string, length: number): Float64Array {
    return this.#take(Float64Array, name, length);
  }

  int32(name: string, length: number): Int32Array {
    return this.#take(Int32Array, name, length);
  }

  uint8(name: string, length: number): Uint8Array {
    return this.#take(Uint8Array, name, length);
  }

  #take<T extends Numbers>(Kind: new (length: number) => T, name: string, length: number): T {
    const key = `${name} ${Kind.name}`;
    let array = this.#arrays.get(key) as T | undefined;
    if (array === undefined || array.length < length) {
      array = new Kind(length);
      this.#arrays.set(key, array);
    }
    return array.subarray(0, length) as T;
  }
}
