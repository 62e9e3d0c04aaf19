/** The items of two lists side by side, as far as both go. */
export function zip<A, B>(first: readonly A[], second: readonly B[]): [A, B][] {
  const length = Math.min(first.length, second.length);
  return first.slice(0, length).map((item, i) => [item, second[i] as B]);
}
