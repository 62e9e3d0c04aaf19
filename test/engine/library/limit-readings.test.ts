import { describe, expect, it } from 'vitest';
import { limitReadings } from '../../../src/engine/library/limit-readings.js';

/** Stands for the native class: a reading is under way until the test ends it. */
class FakeContext {
  readonly underWay: { readonly place: number; readonly end: (value: number) => void; readonly fail: () => void }[] =
    [];

  constructor(readonly name: string) {}

  sampleToken(place: number): Promise<number> {
    return new Promise((end, reject) => {
      this.underWay.push({ place, end, fail: () => reject(new Error(`place ${place}`)) });
    });
  }
}

type Context = new (name: string) => FakeContext;

function llama(release = '3.22.1') {
  const fake = { _bindings: { AddonContext: FakeContext as Context } };
  limitReadings(release, fake);
  return fake;
}

const settled = () => new Promise((go) => setImmediate(go));

describe('readings of a context', () => {
  it('are under way eight at a time and in their order, also after one that fails; every one is answered', async () => {
    const context = new (llama()._bindings.AddonContext)('one');
    expect(context.name).toBe('one');
    const answers = Array.from({ length: 20 }, (_, place) =>
      context.sampleToken(place).catch((error: Error) => error.message),
    );
    await settled();
    expect(context.underWay.map(({ place }) => place)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    context.underWay[3]?.end(33);
    context.underWay[0]?.fail();
    await settled();
    expect(context.underWay.map(({ place }) => place)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (let n = 0; n < 20; n++) {
      context.underWay[n]?.end(10 * n);
      await settled();
    }
    expect(await Promise.all(answers)).toEqual(
      Array.from({ length: 20 }, (_, n) => (n === 3 ? 33 : n === 0 ? 'place 0' : 10 * n)),
    );
    // All places are free again.
    for (let place = 20; place < 30; place++) void context.sampleToken(place);
    await settled();
    expect(context.underWay).toHaveLength(28);
  });

  it('do not wait for those of another context, and are left alone with another release', async () => {
    const fake = llama();
    const { AddonContext } = fake._bindings;
    const [one, other] = [new AddonContext('one'), new AddonContext('other')];
    for (let place = 0; place < 9; place++) void one.sampleToken(place);
    void other.sampleToken(0);
    await settled();
    expect([one.underWay.length, other.underWay.length]).toEqual([8, 1]);
    limitReadings('3.22.1', fake);
    expect(fake._bindings.AddonContext).toBe(AddonContext);
    expect(llama('4.0.0')._bindings.AddonContext).toBe(FakeContext);
  });
});
