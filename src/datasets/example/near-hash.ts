import { createHash } from 'node:crypto';

/**
 * Text as a copy of it may have been typed: Unicode compatibility form (NFKC), without case, invisible characters and
 * blanks around it, blanks inside as one space.
 */
export function foldedText(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/\p{Cf}/gu, '')
      // A single space stays as it is: each match takes memory, and a long text has millions of them.
      .replace(/(?: \s|[^\S ])\s*/g, ' ')
      .trim()
  );
}

/**
 * Names what a question asks: the folded texts that its prompts show and the set of its folded options. Rows with the
 * same name are near copies, which stand on one side of every split, whatever else they say of themselves.
 *
 * @param shown names of the fields that prompts show
 */
export function nearHash(
  fields: Readonly<Record<string, string>>,
  options: readonly string[],
  shown: Iterable<string>,
): string {
  const texts = [...shown].sort().map((name) => foldedText((Object.hasOwn(fields, name) && fields[name]) || ''));
  const content = JSON.stringify([texts, options.map(foldedText).sort()]);
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}
