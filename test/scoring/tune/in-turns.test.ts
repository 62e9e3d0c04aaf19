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
    const told = await inTurns(SHAPES, 1.05, measure);
    expect(told?.isFaster).toBe(isFaster);
    expect(asked).toHaveLength(2 * turns);
    expect(Math.log(told?.found ?? 0)).toBeCloseTo(mean(rates.found.slice(0, turns).map(Math.log)), 12);
    expect(Math.log(told?.given ?? 0)).toBeCloseTo(mean(rates.given.slice(0, turns).map(Math.log)), 12);
    ends.add(`${turns} ${isFaster}`);
  }
  expect([...ends].toSorted()).toEqual(['2 false', '2 true', '3 false', '3 true', '4 false', '4 true']);
});

it('takes a rate that is known for the first turn of the given shape', async () => {
  const { asked, measure } = replay({ given: [100], found: [110, 110] });
  expect(await inTurns(SHAPES, 1.05, measure, [100])).toMatchObject({ isFaster: true });
  expect(asked).toEqual(['found', 'given', 'found']);
});

it.each([null, 0])('tells nothing where a trial comes to %s', async (rate) => {
  const { asked, measure } = replay({ given: [100, 100], found: [110, rate] });
  expect(await inTurns(SHAPES, 1.05, measure)).toBeNull();
  expect(asked).toHaveLength(4);
});
