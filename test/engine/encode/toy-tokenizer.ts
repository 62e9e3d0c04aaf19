import type { Tokenize } from '../../../src/engine/protocol/backend.js';

/** Longest match first, left to right; a character that no word begins with is its code point + 1000. */
export function toyTokenizer(words: readonly string[]): Tokenize {
  const longestFirst = [...words].sort((a, b) => b.length - a.length);
  return (text) => {
    const tokens: number[] = [];
    for (let at = 0; at < text.length; ) {
      const word = longestFirst.find((candidate) => text.startsWith(candidate, at));
      tokens.push(word === undefined ? 1000 + text.charCodeAt(at) : words.indexOf(word));
      at += word?.length ?? 1;
    }
    return tokens;
  };
}
