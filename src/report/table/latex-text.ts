import { plainText } from '../text/plain-text.js';

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '%': '\\%',
  _: '\\_',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '"': '\\textquotedbl{}',
  "'": '\\textquotesingle{}',
  '`': '\\textasciigrave{}',
  // A bracket after a row's end would be read as its optional argument, a hyphen pair as a dash.
  '[': '{[}',
  ']': '{]}',
  '-': '-{}',
  '*': '{*}',
};

/**
 * Text from data as LaTeX that prints it: commands become characters. Characters that pdfLaTeX's fonts lack print as
 * their code point, U+4E2D, since an unknown one would stop the run; those of Latin-1 and Latin Extended-A stay.
 */
export function latexText(text: string): string {
  return [...plainText(text)].map(latexCharacter).join('');
}

function latexCharacter(character: string): string {
  const special = SPECIAL[character];
  if (special !== undefined) return special;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x7f) return character;
  if (KNOWN.test(character)) return character;
  if (code === 0xa0) return '~';
  return `{\\scriptsize U+${code.toString(16).toUpperCase().padStart(4, '0')}}`;
}

/** Letters that T1 has and the kernel's UTF-8 tables map. */
const KNOWN = /^[À-ÖØ-öø-ÿĀ-ăĄ-ďĐđĒ-ěŁ-ňŐ-őŒœŔ-řŚ-śŞ-šŢ-ťŮ-űŸ-ž]$/u;
