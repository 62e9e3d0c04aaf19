const JOINER = '[\\u200c\\u200d]';
const SHAPES = '[\\ufe00-\\ufe0f]';
const MARKS = '[\\u061c\\u200e\\u200f]';
const TAGS = '[\\u{e0020}-\\u{e007f}]';
/** Letters that nothing joins and that have one shape. */
const PLAIN = '\\p{ASCII}\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Hebrew}\\p{sc=Hangul}';
const LEFTWARD = '[\\p{sc=Hebrew}\\p{sc=Arabic}\\p{sc=Syriac}\\p{sc=Thaana}\\p{sc=Nko}\\p{sc=Adlam}]';

/** What belongs to the spelling of a script or an emoji, where it stands as it does there. */
const SPELT = [
  // Joiners of Arabic, of the scripts of India and of emoji; one at a time.
  `(?<=[^${PLAIN}\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\u200c\\u200d])${JOINER}`,
  '(?<=\\p{L})\\u200c(?=\\p{sc=Arabic})',
  // Shapes of signs, emoji and ideographs.
  `(?<=[^${PLAIN}\\p{sc=Arabic}\\ufe00-\\ufe0f\\u200c\\u200d])${SHAPES}`,
  '(?<=[0-9#*])\\ufe0f(?=\\u20e3)',
  '(?<=\\p{sc=Han})[\\u{e0100}-\\u{e01ef}]',
  '(?<=\\p{sc=Mongolian})[\\u180b-\\u180f]',
  '(?<=\\p{sc=Hebrew})\\u034f',
  // Marks that put signs and numbers beside text from right to left in their place.
  `(?<=${LEFTWARD}[^\\p{L}]{0,16})(?<!${MARKS})${MARKS}`,
  `(?<!${MARKS})${MARKS}(?=[^\\p{L}]{0,16}${LEFTWARD})`,
  // Flags such as that of Wales.
  `(?<=\\u{1f3f4}${TAGS}{0,6})${TAGS}`,
].join('|');

/**
 * Characters that nobody sees and that make one text look like another, or turn the reading direction: zero-width
 * spaces, soft hyphens, bidirectional overrides, fillers, tags; and joiners, marks of direction and what chooses
 * between shapes of a character, where they do nothing that a reader needs.
 */
export const HIDDEN = new RegExp(
  `(?=[\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\ufff9-\\ufffb])(?!${SPELT})[^]`,
  'gu',
);

const CONTROL = /\p{Cc}|\p{Cs}|[\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text on one line with every control and hidden character shown as its escape, each UTF-16 unit as JSON writes it. */
export function visibleText(text: string): string {
  return text.replace(CONTROL, escaped).replace(HIDDEN, escaped);
}

export function escaped(character: string): string {
  return SHORT[character] ?? Array.from({ length: character.length }, (_, n) => unitEscape(character, n)).join('');
}

function unitEscape(character: string, n: number): string {
  return `\\u${character.charCodeAt(n).toString(16).padStart(4, '0')}`;
}
