import { describe, expect, it } from 'vitest';
import { dropSamplers, keepSamplers } from '../../../src/engine/library/keep-samplers.js';

/** Stands for the native class: what it holds on to from one configuration to the next is what llama.cpp holds. */
class FakeSampler {
  static calls = 0;
  static readonly made: FakeSampler[] = [];
  parts: readonly string[] = [];
  drawn = 0;
  disposed = false;
  seed = -1;

  constructor(readonly model: object) {
    FakeSampler.made.push(this);
  }

  static accept(): number {
    return ++FakeSampler.calls;
  }

  applyConfig({ seed = this.seed, ...parts }: { seed?: number }): void {
    this.parts = Object.keys(parts);
    if (seed !== this.seed) this.drawn = 0;
    this.seed = seed;
  }

  dispose(): void {
    this.disposed = true;
  }
}

type Sampler = new (model: object) => FakeSampler;

function llama(release = '3.22.1') {
  FakeSampler.made.length = 0;
  const fake = { _bindings: { AddonSampler: FakeSampler as Sampler } };
  keepSamplers(release, fake);
  return fake;
}

describe('samplers that are kept', () => {
  it('are used again for the same model as if they were new, their random numbers too', () => {
    const { AddonSampler } = llama()._bindings;
    const [one, other] = [{}, {}];
    for (const seed of [0, 1, 7]) {
      const first = new AddonSampler(one);
      first.applyConfig({ seed, temperature: 1, grammar: 'g' } as object);
      first.drawn = 5;
      first.applyConfig({ seed, temperature: 1 } as object);
      expect(first.drawn).toBe(5);
      first.dispose();
      const again = new AddonSampler(one);
      again.applyConfig({ seed, temperature: 0 } as object);
      expect(again).toBe(first);
      expect(again).toMatchObject({ seed, drawn: 0, parts: ['temperature'], disposed: false });
      again.dispose();
    }
    expect(new AddonSampler(other)).toMatchObject({ model: other, drawn: 0 });
    expect(FakeSampler.made).toHaveLength(2);
  });

  it('are never two uses at a time, and are given back when their model closes', () => {
    const { AddonSampler } = llama()._bindings;
    const model = {};
    const [a, b] = [new AddonSampler(model), new AddonSampler(model)];
    expect(a).not.toBe(b);
    a.dispose();
    a.dispose();
    expect(new AddonSampler(model)).toBe(a);
    expect(new AddonSampler(model)).not.toBe(a);
    a.dispose();
    b.dispose();
    dropSamplers({ _model: model });
    expect([a.disposed, b.disposed]).toEqual([true, true]);
    expect([a, b]).not.toContain(new AddonSampler(model));
  });

  it('are left as they are with another release, and what is called on their class itself stays there', () => {
    expect(llama('4.0.0')._bindings.AddonSampler).toBe(FakeSampler);
    const fake = llama();
    const { AddonSampler } = fake._bindings;
    expect(AddonSampler).not.toBe(FakeSampler);
    const before = FakeSampler.calls;
    expect((AddonSampler as unknown as typeof FakeSampler).accept()).toBe(before + 1);
    // A second start of the library finds them kept already.
    keepSamplers('3.22.1', fake);
    expect(fake._bindings.AddonSampler).toBe(AddonSampler);
  });
});
