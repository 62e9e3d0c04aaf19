/**
 * What must be evaluated after a prompt so that every token of every continuation can be read. A token is read after
 * the one before it, so the last token of a continuation is never evaluated, a continuation of one token costs nothing,
 * equal ones are evaluated once, and one whose beginning another one evaluates is read there.
 *
 * @returns the fewest token sequences (longest first, equal lengths in their order); at least one, which may be empty
 */
export function branchPaths(continuations: readonly (readonly number[])[]): (readonly number[])[] {
  const stems = continuations.map((tokens) => tokens.slice(0, -1)).sort((a, b) => b.length - a.length);
  const paths: (readonly number[])[] = [];
  for (const stem of stems) if (!paths.some((path) => startsWith(path, stem))) paths.push(stem);
  return paths;
}

/** Whether `tokens` begins with `start`; any sequence begins with itself. */
export function startsWith(tokens: readonly number[], start: readonly number[]): boolean {
  return start.length <= tokens.length && start.every((token, index) => tokens[index] === token);
}

/** Tokens of the longest path: what a prompt needs on top of its own tokens. */
export function longestPath(continuations: readonly (readonly number[])[]): number {
  return Math.max(...continuations.map((tokens) => tokens.length - 1));
}
