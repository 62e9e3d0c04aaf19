import type { ExamplePrompt } from './prompt.js';

/**
 * The text before every question: each shot's own prompt with its answer, and `separator` after it. The answer is what
 * the scorer would be asked about: after the answer prefix, or by default after one space where the prompt ends in a
 * visible character.
 *
 * @param answers 0-based index of the right option of each shot
 */
export function fewShotBlock(shots: readonly ExamplePrompt[], answers: readonly number[], separator = '\n\n'): string {
  return shots
    .map(({ text, answerPrefix, continuations }, n) => {
      const prefix = answerPrefix ?? (/\S$/u.test(text) ? ' ' : '');
      return text + prefix + continuations[answers[n]!]! + separator;
    })
    .join('');
}
