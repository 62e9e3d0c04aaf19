/** The release whose samplers were read: what a greedy one keeps from token to token is nothing. */
const KNOWN = /^3\.22\./;

/** What the library's own class `LlamaSampler` holds. */
interface NativeSampler {
  applyConfig(config: Readonly<Record<string, unknown>>): unknown;
  dispose(): void;
}

type SamplerClass = new (model: object) => NativeSampler;

/** Settings without a meaning at temperature 0; any other may give a sampler a memory. */
const WITHOUT_MEMORY = new Set([
  'temperature',
  'minP',
  'topK',
  'topP',
  'seed',
  'repeatPenaltyMaxTokens',
  'dryRepeatPenaltyBase',
  'dryRepeatPenaltyAllowedLength',
  'dryRepeatPenaltyLastTokens',
  'dryRepeatPenaltySequenceBreakers',
]);

const wrapped = new WeakMap<object, Map<object, NativeSampler[]>>();

/**
 * The library makes a sampler for every prompt. Each has room for all candidates (12 bytes x vocabulary, 3 MB with 262k
 * tokens), which comes back only when JavaScript's garbage is collected: every prompt was read through fresh pages of
 * memory, 1 to 2 ms of it. From now on a greedy sampler serves the next prompt of the same model. Of another release
 * samplers are left as they are.
 */
export function reuseSamplers(release: string, llama: object): void {
  const { _bindings: bindings } = llama as { readonly _bindings?: { AddonSampler?: SamplerClass } };
  const { AddonSampler: made } = bindings ?? {};
  if (!KNOWN.test(release) || bindings === undefined || made === undefined || wrapped.has(bindings)) return;
  const idle = new Map<object, NativeSampler[]>();
  wrapped.set(bindings, idle);
  bindings.AddonSampler = new Proxy(made, {
    construct: (target, [model]: [object]) => idle.get(model)?.pop() ?? returning(new target(model), model, idle),
  });
}

/** Frees what is kept for a model that is unloaded. */
export function forgetSamplers(llama: object, model: object): void {
  const { _bindings: bindings } = llama as { readonly _bindings: object };
  const { _model: native } = model as { readonly _model: object };
  const idle = wrapped.get(bindings);
  for (const sampler of idle?.get(native) ?? []) Object.getPrototypeOf(sampler).dispose.call(sampler);
  idle?.delete(native);
}

/** The sampler, which goes back to the idle ones of its model when the library has no more use for it. */
function returning(sampler: NativeSampler, model: object, idle: Map<object, NativeSampler[]>): NativeSampler {
  const { applyConfig, dispose } = sampler;
  let forgetful = true;
  const own: NativeSampler = {
    applyConfig(config) {
      forgetful &&= config.temperature === 0 && Object.keys(config).every((key) => WITHOUT_MEMORY.has(key));
      return applyConfig.call(sampler, config);
    },
    dispose() {
      if (!forgetful) return dispose.call(sampler);
      const free = idle.get(model) ?? [];
      idle.set(model, free);
      if (!free.includes(sampler)) free.push(sampler);
    },
  };
  // Methods of a native class are read-only, so that they cannot be assigned.
  return Object.defineProperties(sampler, { applyConfig: { value: own.applyConfig }, dispose: { value: own.dispose } });
}
