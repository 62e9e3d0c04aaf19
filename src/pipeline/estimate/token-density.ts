/** Letters of a word that one token holds, about: in vocabularies of 100k tokens and more, and in smaller ones. */
const LETTERS = { large: 7, small: 5.5 };
const LARGE_VOCABULARY = 100_000;
/** So many texts, spread over all, stand for the others. */
const SAMPLE = 100;
/** What tokenizers never join: a word with the space before it, marks that stand together, a digit, other space. */
const PIECES = / ?(?<word>\p{L}+)| ?[^\s\p{L}\d]+|\d|\s+/gu;

/**
 * Tokens for each character of some texts, by their words, marks and digits: 0.85 to 1.15 of what vocabularies of 49k
 * to 262k tokens make of questions, formulas and tweets (bench/whole-runs.ts). 0 where there is no text.
 *
 * @param vocabulary tokens of the vocabulary; absent: a large one
 */
export function tokenDensity(texts: readonly string[], vocabulary = LARGE_VOCABULARY): number {
  const step = Math.max(1, texts.length / SAMPLE);
  const sample = texts.filter((_, n) => Math.floor(n / step) !== Math.floor((n - 1) / step));
  const characters = sample.reduce((sum, { length }) => sum + length, 0);
  const letters = vocabulary >= LARGE_VOCABULARY ? LETTERS.large : LETTERS.small;
  return characters === 0 ? 0 : sample.reduce((sum, text) => sum + tokensIn(text, letters), 0) / characters;
}

function tokensIn(text: string, letters: number): number {
  let tokens = 0;
  for (const { groups } of text.matchAll(PIECES)) tokens += Math.ceil((groups?.word?.length ?? 1) / letters);
  return tokens;
}
