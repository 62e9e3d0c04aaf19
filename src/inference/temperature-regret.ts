/** How much a temperature loses against the best one of the same examples. */
export interface TemperatureRegret {
  /** measure(fitted) - measure(best), 0 or above. */
  readonly regret: number;
  /** beta of the least measure; 0 for the infinite temperature. */
  readonly bestInverseTemperature: number;
  readonly best: number;
}

const STEPS = 80;
const HALVINGS = 30;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

/**
 * Regret of a temperature in a measure of the evaluation side, ECE (Eq. (ece)) or NLL (Guo et al. 2017): measure(beta)
 * less its least value. ECE is neither smooth nor convex in beta, so ln(beta) is walked in steps, beta = 0 and the
 * fitted one besides, and refined by golden section (Kiefer 1953) around the lowest point.
 *
 * @param measure of an inverse temperature, 0 for the infinite temperature
 * @param range of inverse temperatures to walk, both above 0
 */
export function temperatureRegret(
  measure: (inverseTemperature: number) => number,
  fitted: number,
  range: readonly [number, number],
): TemperatureRegret {
  const at = measure(fitted);
  const [first, last] = [Math.log(range[0]), Math.log(range[1])];
  const step = (last - first) / STEPS;
  let best = { beta: fitted, value: at };
  const take = (beta: number) => {
    const value = measure(beta);
    if (value < best.value) best = { beta, value };
    return value;
  };
  take(0);
  for (let i = 0; i <= STEPS; i++) take(Math.exp(first + i * step));
  if (best.beta > 0) {
    let [low, high] = [Math.log(best.beta) - step, Math.log(best.beta) + step];
    for (let i = 0; i < HALVINGS; i++) {
      const [a, b] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
      if (take(Math.exp(a)) < take(Math.exp(b))) high = b;
      else low = a;
    }
  }
  return { regret: at - best.value, bestInverseTemperature: best.beta, best: best.value };
}
