const JOINER = '[\\u200c\\u200d]';
const SHAPES = '[\\ufe00-\\ufe0f]';

/**
 * Characters that nobody sees and that make one text look like another, or turn the reading direction: zero-width spaces,
 * soft hyphens, bidirectional marks and overrides, fillers, tags. A joiner stays where it joins letters or
 * emoji (after a Latin letter, digit or sign it joins nothing), and what chooses between two shapes of a character.
 */
export const HIDDEN = new RegExp(
  `(?!${JOINER}|${SHAPES})[\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\ufff9-\\ufffb]|(?<![^\\p{ASCII}\\p{Script=Latin}])${JOINER}`,
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
