import { wrapWords } from '../text/plain-text.js';

/** Longest line of a narrow head; a longer word is broken at hyphens and where a capital follows a small letter. */
const LONGEST = 8;

/** The lines of a narrow column's head: `SupportCal (2)` is `Support`, `Cal (2)`; `Elic.-Ens.` is `Elic.-`, `Ens.`. */
export function headLines(label: string): string[] {
  const words = label
    .split(' ')
    .map((word) => (word.length <= LONGEST ? word : word.replace(/(\p{Ll})(?=\p{Lu})|(-)/gu, '$1$2 ')));
  return wrapWords(words.join(' '), LONGEST);
}
