/**
 * Two of the prompts whose common beginning is that of all: the first and the last in the order of their UTF-16 code
 * units. Null for fewer than two different texts. The pair does not depend on the order of the prompts.
 */
export function sharedBeginning<P extends { readonly text: string }>(prompts: readonly P[]): readonly [P, P] | null {
  const [any] = prompts;
  if (any === undefined) return null;
  let first = any;
  let last = any;
  for (const prompt of prompts) {
    if (prompt.text < first.text) first = prompt;
    if (prompt.text > last.text) last = prompt;
  }
  return first.text === last.text ? null : [first, last];
}
