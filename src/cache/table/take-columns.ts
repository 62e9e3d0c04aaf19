/** The items at the given indexes, in that order. */
export function takeItems<Item>(items: readonly Item[], indexes: Int32Array): Item[] {
  const taken = new Array<Item>(indexes.length);
  for (let i = 0; i < indexes.length; i++) taken[i] = items[indexes[i]!]!;
  return taken;
}

/** The numbers at the given indexes, in that order. (`from` of typed arrays with a function is ten times slower.) */
export function takeNumbers<Numbers extends Uint8Array | Int32Array | Float64Array>(
  numbers: Numbers,
  indexes: Int32Array,
): Numbers {
  const taken = new (numbers.constructor as new (length: number) => Numbers)(indexes.length);
  for (let i = 0; i < indexes.length; i++) taken[i] = numbers[indexes[i]!]!;
  return taken;
}
