/**
 * One key per example, equal for examples that must stay together: copies of one another, and those of one group, and
 * what hangs together through both. The given copies where there are no groups.
 *
 * @param copies equal for copies; null: there are none
 * @param groups null: the example is in none
 */
export function joinGroups(
  copies: readonly string[] | null,
  groups: ReadonlyArray<string | null>,
): readonly string[] | null {
  if (groups.every((group) => group === null)) return copies;
  const parents = Int32Array.from(groups.keys());
  const rootOf = (n: number): number => {
    let root = n;
    while (parents[root] !== root) root = parents[root] ?? root;
    parents[n] = root;
    return root;
  };
  for (const keys of [copies ?? [], groups]) {
    const first = new Map<string, number>();
    for (const [n, key] of keys.entries()) {
      if (key === null) continue;
      const known = first.get(key);
      if (known === undefined) first.set(key, n);
      // The lower number stays the root, so that the keys do not depend on the order of the unions.
      else {
        const [a, b] = [rootOf(known), rootOf(n)];
        parents[Math.max(a, b)] = Math.min(a, b);
      }
    }
  }
  return Array.from(parents, (_, n) => String(rootOf(n)));
}
