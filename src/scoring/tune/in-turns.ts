/**
 * What two shapes came to in turns: the geometric means of their rates; where one turn was enough the higher rate of
 * the given one and the lower one of the found one.
 */
export interface InTurns {
  readonly given: number;
  readonly found: number;
  /** Whether the found one is faster by as much as was asked, and by more than chance makes it look. */
  readonly isFaster: boolean;
}

/** One turn is enough for a shape that is so many times as fast, in the search and in that turn. */
const CLEAR = 1.25;
const MOST_TURNS = 4;
/** Student's t at 0.975 by turns: two shapes, a mean of each, so twice the turns less two degrees of freedom. */
const STUDENT_T: Readonly<Record<number, number>> = { 2: 4.3027, 3: 2.7764, 4: 2.4469 };

/**
 * Measures two shapes in turns, so that what slows a machine down for a while slows both. How much rates of one shape
 * differ tells what chance alone makes of two: turns go on until the found one is faster by more than that or can
 * hardly be, and after four of them it is not. One is enough where the lower one of two rates of the found shape, in
 * the search and in that turn, is much higher than the higher one of the given shape: a machine that was faster for a
 * while makes a search look so, but not the turn too. Where all shapes are as fast, 3 of 100 searches take another one
 * than the given at a standard deviation of 5 %, and 5 at 10 % (bench/search-noise.ts).
 *
 * @param least how many times as fast the found shape must be on average
 * @param searched rates that both had in the search
 * @returns null where one of them cannot be measured this time
 */
export async function inTurns<Shape>(
  [given, found]: readonly [Shape, Shape],
  least: number,
  measure: (shape: Shape) => Promise<number | null>,
  searched: Omit<InTurns, 'isFaster'>,
): Promise<InTurns | null> {
  const rates: readonly [number[], number[]] = [[], []];
  for (let turns = 1; ; turns++) {
    for (const [n, shape] of [given, found].entries()) {
      const rate = await measure(shape);
      if (rate === null || rate <= 0) return null;
      rates[n]?.push(rate);
    }
    const [one, other] = [ofLogs(rates[0]), ofLogs(rates[1])];
    const means = { given: Math.exp(one.mean), found: Math.exp(other.mean) };
    if (turns === 1) {
      const both = { given: Math.max(searched.given, means.given), found: Math.min(searched.found, means.found) };
      if (both.found >= CLEAR * both.given) return { ...both, isFaster: true };
      continue;
    }
    const gain = other.mean - one.mean;
    const spread = Math.sqrt((one.squares + other.squares) / (2 * turns - 2));
    const margin = (STUDENT_T[turns] ?? Number.POSITIVE_INFINITY) * spread * Math.sqrt(2 / turns);
    const isFaster = gain >= Math.log(least) && gain > margin;
    const isOver = isFaster || gain + margin < Math.log(least) || turns === MOST_TURNS;
    if (isOver) return { ...means, isFaster };
  }
}

/** Mean of the logarithms, and the sum of the squares of what they are off it. */
function ofLogs(rates: readonly number[]): { readonly mean: number; readonly squares: number } {
  const logs = rates.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return { mean, squares: logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) };
}
