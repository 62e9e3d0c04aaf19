import type { Llama, LlamaModel } from 'node-llama-cpp';

/** The release whose samplers were read: when they are made and disposed of, and what a configuration leaves behind. */
const KNOWN = /^3\.22\./;

/** A native sampler, and where the library makes it; the library's types leave both out. */
interface NativeSampler {
  applyConfig(config: Readonly<Record<string, unknown>>): void;
  dispose(): void;
}
interface Bindings {
  AddonSampler: new (model: object) => NativeSampler;
}

/** A sampler that is kept once its use is over. */
interface KeptSampler extends NativeSampler {
  /** Gives back its memory. */
  drop(): void;
}

/** Samplers of a native model that nobody uses; the last one that came back goes out first, its memory being warm. */
const idle = new WeakMap<object, KeptSampler[]>();
const keeping = new WeakSet<Bindings>();

/**
 * Lets the library use its samplers again. It makes one for every call that evaluates tokens, whether anything is read
 * or not, and each holds 12 bytes for every token of the vocabulary: 1.8 MB with 152k of them, which the main thread
 * fills with zeros, page after fresh page, since the memory of a sampler that is done is only given back when
 * JavaScript collects its garbage. Of another release the samplers are left as they are.
 */
export function keepSamplers(release: string, llama: Pick<Llama, never>): void {
  const bindings = (llama as { readonly _bindings: Bindings })._bindings;
  if (!KNOWN.test(release) || keeping.has(bindings)) return;
  keeping.add(bindings);
  const Kept = keptSampler(bindings.AddonSampler);
  const take = (_: unknown, [model]: [object]) => {
    const list = idle.get(model) ?? [];
    idle.set(model, list);
    return list.pop() ?? new Kept(model, list);
  };
  bindings.AddonSampler = new Proxy(bindings.AddonSampler, { construct: take as () => object });
}

/** Gives back the samplers of a model that is about to be closed. */
export function dropSamplers(model: Pick<LlamaModel, never>): void {
  const { _model: native } = model as { readonly _model: object };
  for (const sampler of idle.get(native) ?? []) sampler.drop();
  idle.delete(native);
}

function keptSampler(AddonSampler: Bindings['AddonSampler']) {
  return class extends AddonSampler implements KeptSampler {
    readonly #list: KeptSampler[];
    #used = false;

    constructor(model: object, list: KeptSampler[]) {
      super(model);
      this.#list = list;
    }

    override applyConfig(config: Readonly<Record<string, unknown>>): void {
      // A configuration that says nothing takes out every part of the last one. The random generator goes on where it
      // was unless its seed changes, so it changes twice.
      if (this.#used) super.applyConfig({ seed: config.seed === 0 ? 1 : 0 });
      this.#used = false;
      super.applyConfig(config);
    }

    override dispose(): void {
      if (this.#list.includes(this)) return;
      this.#used = true;
      this.#list.push(this);
    }

    drop(): void {
      super.dispose();
    }
  };
}
