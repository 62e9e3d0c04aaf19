/** The temperature of least measure on some examples. */
export interface BestTemperature {
  /** beta; 0 for the infinite temperature. */
  readonly inverseTemperature: number;
  readonly measure: number;
}

const STEPS = 40;
const HALVINGS = 20;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** Beyond the fitted temperatures, and beyond temperature 1. */
const REACH = 4;

/**
 * The temperature whose measure on the evaluation side is least, ECE (Eq. (ece)) for one: measure(beta) of a fitted
 * beta less this is its regret, 0 or above. ECE is neither smooth nor convex in beta, so ln(beta) is walked in equal
 * steps from a quarter of the smallest fitted beta to four times the largest, beta = 0 and the fitted ones besides, and
 * refined by golden section (Kiefer 1953) around the lowest point.
 *
 * @param measure of an inverse temperature, 0 for the infinite temperature
 * @param fitted inverse temperatures
 */
export function bestTemperature(
  measure: (inverseTemperature: number) => number,
  fitted: readonly number[],
): BestTemperature {
  let best = { inverseTemperature: 0, measure: measure(0) };
  const take = (beta: number) => {
    const value = measure(beta);
    if (value < best.measure) best = { inverseTemperature: beta, measure: value };
    return value;
  };
  const finite = [1, ...fitted.filter((beta) => beta > 0)];
  for (const beta of finite) take(beta);
  const [first, last] = [Math.log(Math.min(...finite) / REACH), Math.log(Math.max(...finite) * REACH)];
  const step = (last - first) / STEPS;
  for (let i = 0; i <= STEPS; i++) take(Math.exp(first + i * step));
  if (best.inverseTemperature > 0) refine(take, Math.log(best.inverseTemperature), step);
  return best;
}

/** Golden section within one step of a point. */
function refine(take: (beta: number) => number, around: number, step: number): void {
  let [low, high] = [around - step, around + step];
  let [a, b] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
  let [atA, atB] = [take(Math.exp(a)), take(Math.exp(b))];
  for (let i = 0; i < HALVINGS; i++) {
    if (atA < atB) {
      [high, b, atB] = [b, a, atA];
      a = high - GOLDEN * (high - low);
      atA = take(Math.exp(a));
    } else {
      [low, a, atA] = [a, b, atB];
      b = low + GOLDEN * (high - low);
      atB = take(Math.exp(b));
    }
  }
}
