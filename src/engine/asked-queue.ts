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
    async take(choose) {
      while (waiting.length === 0 && !ended) await new Promise<void>((resolve) => takers.push(resolve));
      if (waiting.length === 0) return [];
      const chosen = new Set(choose(waiting));
      const taken = waiting.filter((_, n) => chosen.has(n));
      waiting = waiting.filter((_, n) => !chosen.has(n));
      return taken;
    },
  };
}
