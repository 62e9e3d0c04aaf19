/**
 * The `count` items of least key, in ascending order of key; equal keys keep the order of the items. Items whose key is
 * NaN are left out. O(items x count), without copying the list: meant for a few of very many.
 */
export function smallestBy(items: Int32Array, count: number, keyOf: (item: number) => number): number[] {
  const kept: { item: number; key: number }[] = [];
  for (const item of items) {
    const key = keyOf(item);
    if (Number.isNaN(key) || (kept.length === count && key >= (kept.at(-1)?.key ?? Number.NEGATIVE_INFINITY))) continue;
    let at = kept.length;
    while (at > 0 && kept[at - 1]!.key > key) at--;
    kept.splice(at, 0, { item, key });
    if (kept.length > count) kept.pop();
  }
  return kept.map(({ item }) => item);
}
