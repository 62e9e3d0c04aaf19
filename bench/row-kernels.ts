import { alignmentSlope } from '../src/calibration/fit/alignment-slope.js';
import { alignWithModel, logitGaps } from '../src/calibration/fit/teacher-alignment.js';
import { evaluator } from '../src/metrics/evaluate.js';
import { expOfGap } from '../src/numeric/exp-of-gap.js';
import { seededGenerator } from '../src/numeric/random/seeded-generator.js';
import { Scratch } from '../src/numeric/scratch.js';
import { sortConfidences } from '../src/numeric/sort-confidences.js';
import { median, write } from './measure.js';

/*
 * Nanoseconds of CPU time per row (K = 4) or number of the loops that a calibration of many examples consists of: the
 * exponential beside Math.exp, one evaluation of L' and L'', every metric at one temperature, and sorting. Median of
 * 15 calls after 15 that compile.
 *
 *   npx tsx bench/row-kernels.ts [rows, default 300000]
 */
const ROWS = Number(process.argv[2] ?? 300_000);
const K = 4;
const BETA = 0.3;
const CALLS = 15;

const generator = seededGenerator(20);
const uniform = () => (generator.next() >>> 0) / 2 ** 32;
const labels = Int32Array.from({ length: ROWS }, () => Math.floor(K * uniform()));
const offsets = Int32Array.from({ length: ROWS + 1 }, (_, n) => K * n);
const logits = (sharpness: number) => ({
  rowCount: ROWS,
  offsets,
  values: Float64Array.from(
    { length: K * ROWS },
    (_, i) => sharpness * ((i % K === labels[Math.floor(i / K)] ? 1 : 0) + 2 * uniform() - 1),
  ),
});
const [target, base] = [logits(8), logits(1)];

const gaps = logitGaps(target);
const powers = new Float64Array(gaps.values.length);
const own = perCall(gaps.values.length, () => exponentials(expOfGap));
const builtIn = perCall(gaps.values.length, () => exponentials(Math.exp));
write(`exponential: ${own.toFixed(1)} ns, Math.exp ${builtIn.toFixed(1)} ns, ratio ${(builtIn / own).toFixed(2)}`);

const alignment = alignWithModel(gaps, base);
const weights = new Float64Array(ROWS).fill(1);
const objective = { alignment, weights, totalWeight: ROWS, rowLifts: null, teacherMeans: alignment.teacherMeans };
write(`L' and L'': ${perCall(ROWS, () => alignmentSlope(objective, BETA)).toFixed(0)} ns a row`);

const all = Int32Array.from({ length: ROWS }, (_, n) => n);
const measure = evaluator({ logits: target, indexes: all, labels }, {}, new Scratch());
write(`every metric: ${perCall(ROWS, () => measure(BETA)).toFixed(0)} ns a row`);

const { confidences } = measure(BETA)!;
const sorted = new Float64Array(ROWS);
write(`of which sorting: ${perCall(ROWS, () => sortConfidences(confidences, sorted)).toFixed(0)} ns a row`);

function exponentials(exponential: (gap: number) => number): void {
  for (let i = 0; i < powers.length; i++) powers[i] = exponential(BETA * gaps.values[i]!);
}

function perCall(count: number, call: () => unknown): number {
  const times = Array.from({ length: 2 * CALLS }, () => {
    const { user, system } = process.cpuUsage();
    call();
    const spent = process.cpuUsage({ user, system });
    return ((spent.user + spent.system) * 1000) / count;
  });
  return median(times.slice(CALLS));
}
