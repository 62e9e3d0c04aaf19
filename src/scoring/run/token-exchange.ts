import type { TokensMessage, ToWorker } from '../../engine/protocol/protocol.js';

/** A child, as far as tokens are concerned. */
interface Teller {
  send(message: ToWorker): void;
}

/** What the children of one model have tokenised: what one of them tells goes to all others that are at work. */
export interface TokenExchange {
  /** From now on the child is told, and at once what is known. */
  join(child: Teller): void;
  leave(child: Teller): void;
  /** Takes the tokens of a chunk; those that are known are left aside. */
  give(message: TokensMessage, from: Teller): void;
}

/** Kept for children that start later: the tokens of some 100,000 prompts of 170. More is told on and forgotten. */
const KEPT_BYTES = 2 ** 26;

export function tokenExchange(keptBytes = KEPT_BYTES): TokenExchange {
  const children = new Set<Teller>();
  const known = new Map<number, TokensMessage | null>();
  let bytes = 0;
  return {
    join(child) {
      for (const message of known.values()) if (message !== null) child.send(message);
      children.add(child);
    },
    leave: (child) => void children.delete(child),
    give(message, from) {
      if (known.has(message.chunk)) return;
      bytes += message.packed.byteLength;
      // Numbers that came in a message lie in the memory of all that was read with it.
      known.set(message.chunk, bytes <= keptBytes ? { ...message, packed: message.packed.slice() } : null);
      for (const child of children) if (child !== from) child.send(message);
    },
  };
}
