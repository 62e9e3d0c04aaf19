import type { ExamplePrompt } from '../../contract/prompt.js';

/** Characters of a token in English prompts, about; a little on the dear side. */
const TOKEN_CHARACTERS = 3.5;

/**
 * What a server bills for prompts, about, in the currency of the price: every order of the options, and every option
 * that is scored as a whole text, is a request of its own, and what several of them begin with is billed each time.
 * What replies cost beyond their prompts depends on what the model writes and is left out.
 *
 * @param price for a million tokens; absent: nothing
 */
export function servedCost(prompts: readonly ExamplePrompt[], price = 0): number {
  const texts = prompts.flatMap(({ text, mode, continuations, rotations }) =>
    mode === 'text' ? continuations.map((each) => text + each) : (rotations?.map((each) => each.text) ?? [text]),
  );
  const characters = texts.reduce((total, text) => total + text.length, 0);
  return (characters / TOKEN_CHARACTERS / 1e6) * price;
}
