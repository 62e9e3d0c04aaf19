import type { Llama } from 'node-llama-cpp';

/** The release whose readings were read: each takes a thread of the pool, and waits there for its context. */
const KNOWN = /^3\.22\./;
/** Readings of one context that are handed to the pool at a time. */
const AT_ONCE = 8;

/** A native context, and where the library makes it; the library's types leave both out. */
interface NativeContext {
  sampleToken(...all: readonly unknown[]): Promise<unknown>;
}
interface Bindings {
  AddonContext: new (model: object, settings: object) => NativeContext;
}

const limited = new WeakSet<Bindings>();

/**
 * Hands the readings of a context to the pool's threads a few at a time. A reading begins by copying its logits while
 * the context is locked, a fifth of its work: more threads than that leaves room for only wait for the lock, and the
 * readings and passes of all other contexts wait behind them. Of another release the readings are left as they are.
 */
export function limitReadings(release: string, llama: Pick<Llama, never>): void {
  const bindings = (llama as { readonly _bindings: Bindings })._bindings;
  if (!KNOWN.test(release) || limited.has(bindings)) return;
  limited.add(bindings);
  bindings.AddonContext = limitedContext(bindings.AddonContext);
}

function limitedContext(AddonContext: Bindings['AddonContext']): Bindings['AddonContext'] {
  return class extends AddonContext {
    #underWay = 0;
    readonly #waiting: (() => void)[] = [];

    override async sampleToken(...all: readonly unknown[]): Promise<unknown> {
      if (this.#underWay < AT_ONCE) this.#underWay++;
      else await new Promise<void>((begin) => this.#waiting.push(begin));
      try {
        return await super.sampleToken(...all);
      } finally {
        // The next one takes this one's place.
        const begin = this.#waiting.shift();
        if (begin === undefined) this.#underWay--;
        else begin();
      }
    }
  };
}
