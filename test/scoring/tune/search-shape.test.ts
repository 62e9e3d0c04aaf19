import { describe, expect, it } from 'vitest';
import { type SeededGenerator, seededGenerator } from '../../../src/numeric/random/seeded-generator.js';
import { type Shape, searchShape } from '../../../src/scoring/tune/search-shape.js';

const GIVEN: Shape = { contexts: 2, sequences: 64, batchSize: 2048 };
const NOTHING = new Set<keyof Shape>();

const unit = (generator: SeededGenerator) => (generator.next() >>> 8) / 2 ** 24;
const normal = (generator: SeededGenerator) =>
  Math.sqrt(-2 * Math.log(1 - unit(generator))) * Math.cos(2 * Math.PI * unit(generator));

/** Rows a second that fall off evenly on both sides of the best shape, a factor for each doubling or context. */
const peak =
  (best: Shape, factor: number) =>
  ({ contexts, sequences, batchSize }: Shape) => {
    const away =
      Math.abs(contexts - best.contexts) +
      Math.abs(Math.log2(sequences / best.sequences)) +
      Math.abs(Math.log2(batchSize / best.batchSize));
    return 100 * factor ** -away;
  };

describe('searchShape', () => {
  it.each([
    { contexts: 3, sequences: 64, batchSize: 2048 },
    { contexts: 1, sequences: 128, batchSize: 1024 },
    { contexts: 4, sequences: 16, batchSize: 8192 },
  ])('finds the fastest shape where each setting has one best value: %o', async (best) => {
    const rate = peak(best, 1.1);
    const found = await searchShape(GIVEN, NOTHING, async (shape) => rate(shape));
    expect(found?.shape).toEqual(best);
    expect(found?.gain).toBeCloseTo(100 / rate(GIVEN), 12);
    expect(found?.rates.given).toBeCloseTo(rate(GIVEN), 12);
    expect(found?.rates.found).toBeCloseTo(100, 12);
  });

  it.each([
    [0.015, 0],
    [0.05, 0.05],
    [0.1, 0.06],
  ])(
    'takes hardly ever another shape where rates differ by chance alone: standard deviation %d',
    async (spread, most) => {
      let taken = 0;
      for (let seed = 1; seed <= 500; seed++) {
        const generator = seededGenerator(seed);
        const found = await searchShape(GIVEN, NOTHING, async () => 100 * Math.exp(spread * normal(generator)));
        if (found?.shape !== GIVEN) taken++;
      }
      expect(taken / 500).toBeLessThanOrEqual(most);
    },
  );

  it.each([
    [1.3, 0.05, 0.98],
    [1.5, 0.1, 0.95],
    [1.1, 0.015, 0.95],
  ])('takes a shape that is %d times as fast where rates spread by %d', async (factor, spread, least) => {
    let taken = 0;
    for (let seed = 1; seed <= 300; seed++) {
      const generator = seededGenerator(seed);
      const found = await searchShape(GIVEN, NOTHING, async ({ sequences }) => {
        return (sequences > 64 ? factor : 1) * 100 * Math.exp(spread * normal(generator));
      });
      if ((found?.shape.sequences ?? 0) > 64) taken++;
    }
    expect(taken / 300).toBeGreaterThanOrEqual(least);
  });

  it('wants more of a setting that is in the keys of rows than of one that changes no score', async () => {
    const faster = { contexts: 3, sequences: 128, batchSize: 2048 };
    const slight = await searchShape(GIVEN, NOTHING, async (shape) => peak(faster, 1.04)(shape));
    expect(slight?.shape).toEqual({ ...GIVEN, contexts: 3 });
    const more = await searchShape(GIVEN, NOTHING, async (shape) => peak(faster, 1.06)(shape));
    expect(more?.shape).toEqual(faster);
  });

  it('does not take a shape that was faster once and is not when it is tried again', async () => {
    let trials = 0;
    const found = await searchShape(GIVEN, NOTHING, async ({ contexts }) => {
      trials++;
      return contexts === 3 && trials < 3 ? 150 : 100;
    });
    expect(found).toMatchObject({ shape: GIVEN, gain: 1, trials });
  });

  it('tries less of a setting only where more of it was slower', async () => {
    const values = async (rate: (shape: Shape) => number) => {
      const tried: number[] = [];
      await searchShape(GIVEN, new Set(['sequences', 'batchSize']), async (shape) => {
        tried.push(shape.contexts);
        return rate(shape);
      });
      return tried;
    };
    expect(await values(() => 100)).toEqual([2, 3]);
    expect(await values(({ contexts }) => (contexts > 2 ? 0 : 100))).toEqual([2, 3, 1]);
    expect(await values(({ contexts }) => Math.min(contexts, 3) * 50)).toEqual([2, 3, 4, 2, 3]);
  });

  it('measures what it finds twice more in turns with the given shape, once where it stays much faster', async () => {
    const last = async (factors: readonly number[]) => {
      const tried: number[] = [];
      const found = await searchShape(GIVEN, new Set(['sequences', 'batchSize']), async ({ contexts }) => {
        tried.push(contexts);
        return factors[contexts - 2] ?? 1;
      });
      return [found?.gain, ...tried.slice(factors.length + 1)];
    };
    expect(await last([1, 1.24])).toEqual([expect.closeTo(1.24, 12), 2, 3, 2, 3]);
    expect(await last([1, 1.26])).toEqual([expect.closeTo(1.26, 12), 2, 3]);
    expect(await last([1, 1.2, 1.3])).toEqual([expect.closeTo(1.3, 12), 2, 4]);
  });

  it('measures in further turns where the first trial was slowed down, which then counts for nothing', async () => {
    let trials = 0;
    const rates: number[] = [];
    const found = await searchShape(GIVEN, new Set(['sequences', 'batchSize']), async ({ contexts }) => {
      rates.push(contexts);
      return ++trials === 1 ? 80 : contexts > 2 ? 104 : 100;
    });
    // The fourth trial is the first of the given shape in turns.
    expect(rates).toEqual([2, 3, 4, 2, 3, 2, 3]);
    expect(found).toMatchObject({ shape: { contexts: 3 }, gain: expect.closeTo(1.04, 12), trials: 7 });
  });

  it('takes no shape that was much faster for as long as the machine was', async () => {
    let trials = 0;
    const found = await searchShape(GIVEN, NOTHING, async () => (++trials === 1 || trials > 5 ? 100 : 140));
    expect(found).toMatchObject({ shape: GIVEN, gain: 1, trials: 9 });
  });

  it('compares nothing with a given shape in which nothing was evaluated', async () => {
    const found = await searchShape(GIVEN, NOTHING, async ({ contexts }) => (contexts === 2 ? 0 : 100));
    expect(found).toMatchObject({ shape: GIVEN, gain: 1 });
  });

  it('takes no shape for much faster than one whose first trial was slowed down', async () => {
    let trials = 0;
    const found = await searchShape(GIVEN, NOTHING, async () => (++trials === 1 ? 50 : 100));
    expect(found).toMatchObject({ shape: GIVEN, gain: 1 });
    expect(found?.rates.given).toBeCloseTo(100, 12);
  });

  it.each([
    ['the given shape', 2, 6],
    ['what was found', 3, 7],
  ])('keeps the given shape where a trial of %s fails the second time', async (_, failing, trials) => {
    let times = 0;
    const found = await searchShape(GIVEN, new Set(['sequences', 'batchSize']), async ({ contexts }) => {
      if (contexts === failing && ++times === 3) return null;
      return contexts === 3 ? 110 : 100;
    });
    expect(times).toBe(3);
    expect(found).toMatchObject({ shape: GIVEN, gain: 1, rates: { given: 100, found: 100 }, trials });
  });

  it('leaves alone what models.yaml says, and shapes without memory', async () => {
    const tried: Shape[] = [];
    const found = await searchShape(GIVEN, new Set(['sequences', 'contexts']), async (shape) => {
      tried.push(shape);
      return shape.batchSize > 2048 ? null : 100;
    });
    expect(found?.shape).toEqual(GIVEN);
    expect(tried).toEqual([GIVEN, { ...GIVEN, batchSize: 4096 }, { ...GIVEN, batchSize: 1024 }]);
    expect(await searchShape(GIVEN, NOTHING, async () => null)).toBeNull();
  });

  it('tries no other shape once it is late, and measures again what it has found by then', async () => {
    const tried: number[] = [];
    const late = async (after: number) => {
      tried.splice(0);
      return await searchShape(
        GIVEN,
        NOTHING,
        async ({ contexts, sequences }) => {
          tried.push(contexts, sequences);
          return 10 * contexts + sequences;
        },
        () => tried.length >= 2 * after,
      );
    };
    expect(await late(2)).toMatchObject({ shape: { contexts: 3, sequences: 64 }, trials: 6, isCut: true });
    expect(tried).toEqual([2, 64, 3, 64, 2, 64, 3, 64, 2, 64, 3, 64]);
    expect(await late(1)).toMatchObject({ shape: GIVEN, gain: 1, trials: 1, isCut: true });
    expect(await late(100)).toMatchObject({ shape: { contexts: 8, sequences: 256 }, isCut: false });
  });
});
