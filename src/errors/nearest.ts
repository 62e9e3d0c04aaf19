import { distance } from 'fastest-levenshtein';

/** The known name that a mistyped one is nearest to, letter case aside; `edits` is the number of changed characters. */
export function nearestName(
  name: string,
  known: readonly string[],
): { readonly best: string; readonly edits: number } | null {
  const lower = name.toLowerCase();
  let nearest: { best: string; edits: number } | null = null;
  for (const best of known) {
    const edits = distance(lower, best.toLowerCase());
    if (nearest === null || edits < nearest.edits) nearest = { best, edits };
  }
  return nearest;
}

/** Whether a name with so many changed characters may be the one that was meant. */
export function isClose(name: string, edits: number): boolean {
  return edits <= Math.max(2, name.length / 2);
}

/** `; did you mean "x"? Known: ...`, `; known: ...` where nothing is near, empty when nothing is known. */
export function nearest(name: string, known: readonly string[]): string {
  const found = nearestName(name, known);
  if (found === null) return '';
  const close = isClose(name, found.edits) ? `; did you mean "${found.best}"? Known` : '; known';
  return `${close}: ${known.slice(0, 30).join(', ')}${known.length > 30 ? ', ...' : ''}`;
}
