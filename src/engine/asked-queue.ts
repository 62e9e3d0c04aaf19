import type { WirePrompt } from './protocol/protocol.js';
import type { AskedQueue } from './stay-open.js';

/** The prompts that a model that stays is asked, first come, first served. */
export interface OpenQueue extends AskedQueue {
  add(prompts: readonly WirePrompt[]): void;
  /** What waits is still given, nothing after it. */
  end(): void;
}

export function askedQueue(): OpenQueue {
  let waiting: WirePrompt[] = [];
  let ended = false;
  const takers: (() => void)[] = [];
  const wake = () => {
    for (const taker of takers.splice(0)) taker();
  };
  return {
    add(prompts) {
      waiting.push(...prompts);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async take(most) {
      while (waiting.length === 0 && !ended) await new Promise<void>((resolve) => takers.push(resolve));
      const taken = waiting.slice(0, most);
      waiting = waiting.slice(most);
      return taken;
    },
  };
}
