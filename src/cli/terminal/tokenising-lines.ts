import { printable } from './log.js';

const EVERY_MS = 5_000;

/**
 * Says now and then how many of a model's prompts are tokenised; nothing of what is done within five seconds.
 *
 * @param now milliseconds of a clock
 */
export function tokenisingLines(
  print: (line: string) => void,
  now: () => number = Date.now,
): (model: string, done: number, total: number) => void {
  let told = now();
  return (model, done, total) => {
    if (now() - told < EVERY_MS) return;
    told = now();
    print(`tokenising for ${printable(model)}: ${done} of ${total} prompts`);
  };
}
