import { expOfGap } from '../../numeric/exp-of-gap.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';

/**
 * Scale of the Cauchy law of ln (best temperature / temperature without labels): half of the design targets of
 * bench/study lie within it, and its wide tails let labels speak where the label-free temperature is far off.
 */
const SCALE = 0.1;

/** ln tau is looked for within this of the prior's, which is a factor of 150. */
const REACH = 5;
const COARSE_STEPS = 80;
const FINE_STEPS = 160;
/** What is this far below the most likely ln tau counts for nothing, in nats. */
const NEGLIGIBLE = 30;

/**
 * The posterior mean of ln tau, as a temperature: a Cauchy law around a temperature found without labels, times the
 * likelihood of the labels, sum_n ln softmax(d_n / tau)[y_n]. Two grids: a coarse one finds where the mass lies, a fine
 * one takes the mean. Not of the paper: bench/study/README.md.
 *
 * @param gaps logits of the labelled rows less the maximum of their row
 * @param labels one for each row
 * @param prior a finite temperature above 0
 */
export function shrunkTemperature(gaps: RaggedRows, labels: Int32Array, prior: number): number {
  const centre = Math.log(prior);
  const logAt = (logTau: number) =>
    logLikelihood(gaps, labels, Math.exp(-logTau)) - Math.log1p(((logTau - centre) / SCALE) ** 2);
  const coarse = grid(centre - REACH, centre + REACH, COARSE_STEPS);
  const found = coarse.map(logAt);
  const most = Math.max(...found);
  const first = found.findIndex((log) => log > most - NEGLIGIBLE);
  const last = found.findLastIndex((log) => log > most - NEGLIGIBLE);
  const [from = centre, to = centre] = [coarse[Math.max(0, first - 1)], coarse[Math.min(COARSE_STEPS, last + 1)]];
  const fine = grid(from, to, FINE_STEPS);
  const logs = fine.map(logAt);
  const highest = Math.max(...logs);
  let [mass, sum] = [0, 0];
  for (const [i, log] of logs.entries()) {
    const weight = Math.exp(log - highest);
    mass += weight;
    sum += weight * (fine[i] ?? centre);
  }
  return Math.exp(sum / mass);
}

function grid(from: number, to: number, steps: number): number[] {
  return Array.from({ length: steps + 1 }, (_, i) => from + ((to - from) * i) / steps);
}

function logLikelihood({ rowCount, offsets, values }: RaggedRows, labels: Int32Array, beta: number): number {
  let total = 0;
  for (let n = 0; n < rowCount; n++) {
    const start = offsets[n] ?? 0;
    const end = offsets[n + 1] ?? 0;
    let mass = 0;
    for (let k = start; k < end; k++) mass += expOfGap(beta * (values[k] ?? 0));
    total += beta * (values[start + (labels[n] ?? 0)] ?? 0) - Math.log(mass);
  }
  return total;
}
