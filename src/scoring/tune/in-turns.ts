/** What two shapes came to in turns: the geometric means of their rates. */
export interface InTurns {
  readonly given: number;
  readonly found: number;
  /** Whether the found one is faster by as much as was asked, and by more than chance makes it look. */
  readonly isFaster: boolean;
}

const LEAST_TURNS = 2;
const MOST_TURNS = 4;
/** Student's t at 0.975 by turns: two shapes, a mean of each, so twice the turns less two degrees of freedom. */
const STUDENT_T: Readonly<Record<number, number>> = { 2: 4.3027, 3: 2.7764, 4: 2.4469 };

/**
 * Measures two shapes in turns, so that what slows a machine down for a while slows both. How much rates of one shape
 * differ tells what chance alone makes of two: turns go on until the found one is faster by more than that or can
 * hardly be, and after four of them it is not. Where all shapes are as fast, 3 of 100 searches take another one than
 * the given at a standard deviation of 5 %, and 5 at 10 % (test/scoring/tune/search-shape.test.ts).
 *
 * @param least how many times as fast the found shape must be on average
 * @param before rates of the given shape that are known
 * @returns null where one of them cannot be measured this time
 */
export async function inTurns<Shape>(
  [given, found]: readonly [Shape, Shape],
  least: number,
  measure: (shape: Shape) => Promise<number | null>,
  before: readonly number[] = [],
): Promise<InTurns | null> {
  const rates: readonly [number[], number[]] = [[...before], []];
  for (let turns = 1; turns <= MOST_TURNS; turns++) {
    for (const [n, shape] of [given, found].entries()) {
      const known = rates[n] as number[];
      if (known.length >= turns) continue;
      const rate = await measure(shape);
      if (rate === null || rate <= 0) return null;
      known.push(rate);
    }
    if (turns < LEAST_TURNS) continue;
    const [one, other] = [ofLogs(rates[0]), ofLogs(rates[1])];
    const gain = other.mean - one.mean;
    const spread = Math.sqrt((one.squares + other.squares) / (2 * turns - 2));
    const margin = (STUDENT_T[turns] ?? Number.POSITIVE_INFINITY) * spread * Math.sqrt(2 / turns);
    const isFaster = gain >= Math.log(least) && gain > margin;
    const isOver = isFaster || gain + margin < Math.log(least) || turns === MOST_TURNS;
    if (isOver) return { given: Math.exp(one.mean), found: Math.exp(other.mean), isFaster };
  }
  return null;
}

/** Mean of the logarithms, and the sum of the squares of what they are off it. */
function ofLogs(rates: readonly number[]): { readonly mean: number; readonly squares: number } {
  const logs = rates.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return { mean, squares: logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) };
}
