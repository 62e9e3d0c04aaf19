/**
 * How often a guaranteed threshold is too low, and what share of the questions it lets through:
 * `npx tsx bench/inference/threshold-level.ts [samples]`. The level of 0.95 holds where at most 0.05 of the samples
 * have a threshold above which the population errs more often than asked.
 */
import { pathToFileURL } from 'node:url';
import { uniformDraw } from '../../src/inference/law/normal-draws.js';
import { guaranteedThresholds } from '../../src/inference/selective/guaranteed-thresholds.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { MAX_ERRORS } from '../../src/results/threshold-schema.js';

/** Questions of equal probability: each has a confidence, and a probability that its answer is right. */
export interface Answers {
  readonly name: string;
  readonly confidences: readonly number[];
  readonly right: readonly number[];
}

const SIZE = 20_000;
const spread = (shape: (u: number) => number) => Array.from({ length: SIZE }, (_, n) => shape((n + 0.5) / SIZE));

/** Populations in which a threshold is easy and hard to find. */
export const POPULATIONS: readonly Answers[] = [
  answers(
    'calibrated',
    (u) => 0.25 + 0.75 * u ** 0.5,
    (c) => c,
  ),
  answers(
    'too sure',
    (u) => 0.5 + 0.5 * u ** 0.2,
    (c) => 0.4 + 0.55 * (2 * c - 1),
  ),
  answers(
    '5 % errors everywhere',
    (u) => u,
    () => 0.95,
  ),
  answers(
    'break at 70 %',
    (u) => u,
    (c) => (c > 0.3 ? 0.951 : 0.6),
  ),
  answers(
    'ten confidences',
    (u) => Math.ceil(10 * u) / 10,
    (c) => 0.5 + 0.5 * c,
  ),
  answers(
    'surest are worst',
    (u) => u,
    (c) => (c > 0.9 ? 0.9 : 0.99),
  ),
];

function answers(name: string, confidence: (u: number) => number, right: (confidence: number) => number): Answers {
  const confidences = spread(confidence);
  return { name, confidences, right: confidences.map(right) };
}

export interface ThresholdLevel {
  /** For each of `MAX_ERRORS`: share of samples whose threshold lets more errors through, and mean coverage. */
  readonly broken: readonly number[];
  readonly coverage: readonly number[];
}

/** Thresholds of `samples` data sets of N labelled examples against the population. */
export function thresholdLevel({ confidences, right }: Answers, count: number, samples: number): ThresholdLevel {
  const generator = seededGenerator(count + samples);
  const uniform = () => uniformDraw(generator);
  const broken = MAX_ERRORS.map(() => 0);
  const coverage = MAX_ERRORS.map(() => 0);
  const truth = riskAbove(confidences, right);
  for (let s = 0; s < samples; s++) {
    const drawn = Int32Array.from({ length: count }, () => Math.floor(uniform() * confidences.length));
    const own = Float64Array.from(drawn, (n) => confidences[n] ?? 0);
    const correct = Uint8Array.from(drawn, (n) => (uniform() < (right[n] ?? 0) ? 1 : 0));
    for (const [e, found] of guaranteedThresholds(own, correct, MAX_ERRORS).entries()) {
      if (found === null) continue;
      const { risk, share } = truth(found.threshold);
      coverage[e] = (coverage[e] ?? 0) + share / samples;
      if (risk > (MAX_ERRORS[e] ?? 0)) broken[e] = (broken[e] ?? 0) + 1 / samples;
    }
  }
  return { broken, coverage };
}

/** The population's rate of errors at and above a confidence. Its confidences ascend. */
function riskAbove(confidences: readonly number[], right: readonly number[]) {
  const errors = new Float64Array(confidences.length + 1);
  for (let n = confidences.length - 1; n >= 0; n--) errors[n] = (errors[n + 1] ?? 0) + 1 - (right[n] ?? 0);
  return (threshold: number) => {
    let [low, high] = [0, confidences.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((confidences[middle] ?? 0) < threshold) low = middle + 1;
      else high = middle;
    }
    const answered = confidences.length - low;
    return { risk: (errors[low] ?? 0) / Math.max(1, answered), share: answered / confidences.length };
  };
}

const print = (line: string) => process.stdout.write(`${line}\n`);

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const samples = Number(process.argv[2] ?? 2000);
  print(`${samples} samples; for each allowed rate of errors: share of broken guarantees / mean coverage\n`);
  print(`| population | N | ${MAX_ERRORS.join(' | ')} |`);
  print(`|---|---|${MAX_ERRORS.map(() => '---').join('|')}|`);
  for (const population of POPULATIONS)
    for (const count of [200, 560, 2000]) {
      const { broken, coverage } = thresholdLevel(population, count, samples);
      const cells = broken.map((share, e) => `${share.toFixed(3)} / ${(coverage[e] ?? 0).toFixed(2)}`);
      print(`| ${population.name} | ${count} | ${cells.join(' | ')} |`);
    }
}
