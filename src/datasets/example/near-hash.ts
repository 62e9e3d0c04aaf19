import { createHash } from 'node:crypto';

/**
 * Text as a copy of it may have been typed: Unicode compatibility form (NFKC), without case, invisible characters and
 * blanks around it, blanks inside as one space, quotes and dashes as a keyboard has them.
 */
export function foldedText(text: string): string {
  return (
    text
      .normalize('NFKC')
      // Upper case comes first: it alone makes one of "Straße" and "STRASSE".
      .toUpperCase()
      .toLowerCase()
      .replaceAll('\u03c2', '\u03c3')
      .replace(/\p{Cf}/gu, '')
      .replace(/[\u2018-\u201b\u2032]/g, "'")
      .replace(/[\u201c-\u201f\u2033\u00ab\u00bb]/g, '"')
      .replace(/[\u2010-\u2015\u2212]/g, '-')
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
