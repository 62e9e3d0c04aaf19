import { expect, it } from 'vitest';
import { studentQuantile } from '../../../src/inference/law/beta-law.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';
import { inTurns } from '../../../src/scoring/tune/in-turns.js';

const SHAPES = ['given', 'found'] as const;

/** Measures by lists of rates, the next one each time. */
function replay(rates: Record<(typeof SHAPES)[number], readonly (number | null)[]>) {
  const asked: string[] = [];
  const measure = async (shape: (typeof SHAPES)[number]) => {
    asked.push(shape);
    return rates[shape][asked.filter((each) => each === shape).length - 1] ?? null;
  };
  return { asked, measure };
}

/** Rates of a search that found little. */
const SLIGHT = { given: 100, found: 110 };

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const variance = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1);

it('ends at the first turn at which the two-sided interval of 95 % of the gain decides, and at the fourth', async () => {
  const generator = seededGenerator(3);
  const rate = (factor: number) => 100 * factor * (0.9 + (0.2 * (generator.next() >>> 8)) / 2 ** 24);
  const ends = new Set<string>();
  for (let n = 0; n < 400; n++) {
    const rates = { given: [1, 2, 3, 4].map(() => rate(1)), found: [1, 2, 3, 4].map(() => rate(1 + (n % 5) / 10)) };
    let turns = 2;
    let isFaster = false;
    for (; ; turns++) {
      const [given, found] = SHAPES.map((shape) => rates[shape].slice(0, turns).map(Math.log)) as [number[], number[]];
      const gain = mean(found) - mean(given);
      const error = Math.sqrt((variance(given) + variance(found)) / turns);
      const reach = studentQuantile(0.975, 2 * turns - 2) * error;
      isFaster = gain - reach > 0 && gain >= Math.log(1.05);
      if (isFaster || gain + reach < Math.log(1.05) || turns === 4) break;
    }
    const { asked, measure } = replay(rates);
    const told = await inTurns(SHAPES, 1.05, measure, SLIGHT);
    expect(told?.isFaster).toBe(isFaster);
    expect(asked).toHaveLength(2 * turns);
    expect(Math.log(told?.found ?? 0)).toBeCloseTo(mean(rates.found.slice(0, turns).map(Math.log)), 12);
    expect(Math.log(told?.given ?? 0)).toBeCloseTo(mean(rates.given.slice(0, turns).map(Math.log)), 12);
    ends.add(`${turns} ${isFaster}`);
  }
  expect([...ends].toSorted()).toEqual(['2 false', '2 true', '3 false', '3 true', '4 false', '4 true']);
});

it('has one turn where the lower rate of the found shape is much higher than the higher one of the given', async () => {
  for (const [given, found] of [
    [99, 140],
    [112, 141],
    [50, 200],
  ] as const) {
    const { asked, measure } = replay({ given: [given], found: [found] });
    const told = await inTurns(SHAPES, 1.05, measure, { given: 100, found: 140 });
    expect(told?.given).toBeCloseTo(Math.max(100, given), 9);
    expect(told?.found).toBeCloseTo(140, 9);
    expect(told?.isFaster).toBe(true);
    expect(asked).toEqual(['given', 'found']);
  }
});

it.each([
  ['no longer much faster in the first turn', { given: 100, found: 126 }, [100, 124]],
  ['much faster than the slower one of two rates of the given shape', { given: 80, found: 126 }, [102, 126]],
  ['much faster than a given shape that was slowed down in the turn', { given: 102, found: 126 }, [80, 126]],
  ['much faster in the first turn, but not in the search', { given: 100, found: 124 }, [100, 126]],
])('has a second turn for a shape that is %s', async (_, searched, [one, other]) => {
  const { asked, measure } = replay({ given: [one!, one!], found: [other!, other!] });
  const told = await inTurns(SHAPES, 1.05, measure, searched);
  expect(told).toEqual({ given: expect.closeTo(one!, 9), found: expect.closeTo(other!, 9), isFaster: true });
  expect(asked).toHaveLength(4);
});

it.each([null, 0])('tells nothing where a trial comes to %s', async (rate) => {
  const { asked, measure } = replay({ given: [100, 100], found: [110, rate] });
  expect(await inTurns(SHAPES, 1.05, measure, SLIGHT)).toBeNull();
  expect(asked).toHaveLength(4);
});
