import { HIDDEN } from '../../errors/hidden-characters.js';

/**
 * Text from data as one line without control characters: C0, DEL, C1 (terminal escapes begin there), lone surrogates
 * and what nobody sees (bidirectional overrides, zero-width spaces) become nothing, line breaks and tabs one space.
 */
export function plainText(text: string): string {
  return seenText(text.replace(/[\t\n\r\u0085\u2028\u2029]+/g, ' '));
}

/** What `plainText` makes of a text, but with its tabs and line feeds. */
export function seenText(text: string): string {
  return text.replace(/(?![\n\t])\p{Cc}|[\ufffe\uffff]|\p{Cs}/gu, '').replace(HIDDEN, '');
}

/** At most `length` characters; a longer text ends in an ellipsis. */
export function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

/**
 * A name in at most `length` characters: one that is longer lacks its middle, since names of a family differ at their
 * ends (`-Q4_K_M`).
 */
export function shortenName(name: string, length: number): string {
  const characters = [...name];
  if (characters.length <= length) return name;
  const end = Math.floor((length - 1) / 2);
  return `${characters.slice(0, length - 1 - end).join('')}…${characters.slice(characters.length - end).join('')}`;
}

/** Breaks a line at spaces into lines of at most `width` characters; a longer word stands alone, whole. */
export function wrapWords(line: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of line.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** A word for a shell: in quotes where it has more than plain characters. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
