import { beforeEach, describe, expect, it } from 'vitest';
import { forgetSamplers, reuseSamplers } from '../../../src/engine/library/reuse-samplers.js';

let disposed: number;
let llama: object;
const native = {};
const greedy = { temperature: 0, topK: 40, seed: 17 };

/** As the library makes a sampler, uses it and has done with it. */
function sampleWith(config: Record<string, unknown>, model: object = native): object {
  const { _bindings: bindings } = llama as { _bindings: { AddonSampler: new (model: object) => Native } };
  const sampler = new bindings.AddonSampler(model);
  sampler.applyConfig(config);
  sampler.dispose();
  return sampler;
}

class Native {
  constructor(readonly model: object) {}
  applyConfig(_config: object): void {}
  dispose(): void {
    disposed++;
  }
}

beforeEach(() => {
  disposed = 0;
  llama = { _bindings: { AddonSampler: Native } };
});

describe('reuseSamplers', () => {
  it('gives the next prompt of a model the greedy sampler of the last one', () => {
    reuseSamplers('3.22.1', llama);
    const first = sampleWith(greedy);
    expect(sampleWith(greedy)).toBe(first);
    expect(sampleWith(greedy, {})).not.toBe(first);
    expect(disposed).toBe(0);
    forgetSamplers(llama, { _model: native });
    expect(disposed).toBe(1);
    expect(sampleWith(greedy)).not.toBe(first);
  });

  it('frees a sampler that draws, or that remembers what it drew', () => {
    reuseSamplers('3.22.1', llama);
    for (const other of [
      { ...greedy, temperature: 0.7 },
      { ...greedy, repeatPenalty: 1.1 },
      { ...greedy, grammar: {} },
    ])
      expect(sampleWith(other)).not.toBe(sampleWith(greedy));
    expect(disposed).toBe(3);
  });

  it('leaves another release as it is', () => {
    reuseSamplers('3.23.0', llama);
    expect(sampleWith(greedy)).not.toBe(sampleWith(greedy));
    expect(disposed).toBe(2);
    forgetSamplers(llama, { _model: native });
    expect(disposed).toBe(2);
  });
});
