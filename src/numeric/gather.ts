/** values[indexes[0]], values[indexes[1]], ... as a new array. (TypedArray.from with a function is ten times slower.) */
export function gather(values: Float64Array, indexes: Int32Array): Float64Array {
  const taken = new Float64Array(indexes.length);
  for (let i = 0; i < indexes.length; i++) taken[i] = values[indexes[i]!]!;
  return taken;
}
