/** Texts of which one is to be written, by their tokens: what may come next, and which text is written at the end. */
export interface TokenTree {
  /** By token, in the order of the texts; empty at the end of a text. */
  readonly next: ReadonlyMap<number, TokenTree>;
  /** The whole text, at its end. */
  readonly text: string | null;
}

interface Growing extends TokenTree {
  readonly next: Map<number, Growing>;
  text: string | null;
}

/** The tree of the given texts; null when the tokens do not tell two of them apart, or do not tell where one ends. */
export function tokenTree(
  texts: readonly { readonly text: string; readonly tokens: readonly number[] }[],
): TokenTree | null {
  const root: Growing = { next: new Map(), text: null };
  for (const { text, tokens } of texts) {
    let node = root;
    for (const token of tokens) {
      const known = node.next.get(token) ?? { next: new Map(), text: null };
      node.next.set(token, known);
      node = known;
      if (node.text !== null) return null;
    }
    if (node === root || node.next.size > 0) return null;
    node.text = text;
  }
  return root;
}

/** Tokens of the longest text. */
export function treeDepth({ next }: TokenTree): number {
  return Math.max(0, ...[...next.values()].map((child) => 1 + treeDepth(child)));
}
