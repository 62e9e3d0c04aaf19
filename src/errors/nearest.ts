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

/** `; did you mean "x"? Known: ...`; empty when nothing is known. */
export function nearest(name: string, known: readonly string[]): string {
  const found = nearestName(name, known);
  if (found === null) return '';
  return `; did you mean "${found.best}"? Known: ${known.slice(0, 30).join(', ')}${known.length > 30 ? ', ...' : ''}`;
}
