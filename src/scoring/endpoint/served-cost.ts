import type { ExamplePrompt } from '../../contract/prompt.js';

/** Characters of a token in English prompts, about; a little on the dear side. */
const TOKEN_CHARACTERS = 3.5;

/**
 * What a server bills for prompts, about, in the currency of the price: every order of the options is a request of its
 * own, and what several of them begin with is billed each time.
 *
 * @param price for a million tokens; absent: nothing
 */
export function servedCost(prompts: readonly ExamplePrompt[], price = 0): number {
  const texts = prompts.flatMap(({ text, rotations }) => rotations?.map((each) => each.text) ?? [text]);
  const characters = texts.reduce((total, text) => total + text.length, 0);
  return (characters / TOKEN_CHARACTERS / 1e6) * price;
}
