/**
 * Our own reader of logits (`src/engine/library/reader.cpp`), as `supportcal setup-cpu` or `setup-gpu` compiled it, on
 * rows that are made here: sums against exact ones, draws against their distribution, and the time of each.
 *
 *   npx tsx bench/reader.ts [READER.node] [draws=200000]
 *
 * READER.node is the one of the build that runs on the CPU take, unless it is named. Ends with status 1 when a sum is
 * off by more than 1e-13 of its value, a greatest token is wrong, or draws stray further from their distribution than
 * one in a million such samples does (Pearson's chi-square, by Wilson and Hilferty's cube root).
 */
import { createRequire } from 'node:module';
import { readerFile } from '../src/library/chosen-build.js';
import { seededGenerator } from '../src/numeric/random/seeded-generator.js';
import { write } from './measure.js';

interface Reader {
  /** The greatest token, the sum of weights, and the token drawn, of a row that lies in JavaScript. */
  answerOf(row: Float32Array, temperature: number, uniform: number): Float64Array;
  /** The number that a token of a reply is drawn by. */
  uniform(seed: number, place: number): number;
  /** Milliseconds of processor time. */
  readonly repeat: (row: Float32Array, temperature: number, uniform: number, times: number) => number;
}

const file = process.argv[2] ?? readerFile('cpu');
if (file === null) throw new Error('no build of `supportcal setup-cpu` with a reader is on record: name its file');
const reader = createRequire(import.meta.url)(file) as Reader;
const draws = Number(process.argv[3] ?? 200_000);
const generator = seededGenerator(7);
const uniform = () => ((generator.next() >>> 0) + 0.5) / 2 ** 32;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
const rowOf = (size: number, valueAt: (i: number) => number) =>
  Float32Array.from({ length: size }, (_, i) => valueAt(i));

const worst = sums();
const strayed = distributions();
times();
if (worst > 1e-13 || strayed) process.exitCode = 1;

/** Sums over rows of many shapes against sums of Math.exp with Neumaier's compensation. */
function sums(): number {
  const shapes: Record<string, (i: number) => number> = {
    'normal, deviation 4': () => 4 * normal(),
    'all alike': () => -3.25,
    'one far above': (i) => (i === 77 ? 900 : -900 * uniform()),
    'down to the least weights': (i) => -0.01 * i,
    'some are -infinity': (i) => (i % 3 === 0 ? Number.NEGATIVE_INFINITY : normal()),
    'huge values': () => 1e30 * normal(),
  };
  let most = 0;
  for (const size of [1, 2, 15, 16, 17, 1_023, 1_025, 49_152, 151_936, 262_144])
    for (const [name, valueAt] of Object.entries(shapes)) {
      const row = rowOf(size, valueAt);
      const greatest = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
      const [best, total] = reader.answerOf(row, 1, 0.5) as unknown as [number, number];
      const exact = exactSum(row, greatest);
      const error = Number.isFinite(greatest) ? Math.abs(total / exact - 1) : Number(!Number.isNaN(total));
      if (error > most) most = error;
      if (Number.isFinite(greatest) && best !== row.indexOf(greatest)) throw new Error(`${name}: token ${best}`);
    }
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
    const row = rowOf(1000, (i) => (i === 500 ? bad : normal()));
    const [, total, drawn] = reader.answerOf(row, 1, 0.5) as unknown as [number, number, number];
    if (!Number.isNaN(total) || drawn !== -1) throw new Error(`${bad} among the logits is not told`);
  }
  write(`sums over 1 to 262,144 logits: largest relative error ${most.toExponential(1)}`);
  return most;
}

function exactSum(row: Float32Array, greatest: number): number {
  let [sum, rest] = [0, 0];
  for (const logit of row) {
    const weight = Math.exp(logit - greatest);
    const next = sum + weight;
    rest += Math.abs(sum) >= Math.abs(weight) ? sum - next + weight : weight - next + sum;
    sum = next;
  }
  return sum + rest;
}

/** Draws of eight places each of seeds in a row against the softmax, over cells of at least five expected draws. */
function distributions(): boolean {
  let strayed = false;
  for (const [size, temperature] of [
    [50, 1],
    [5_000, 0.7],
    [151_936, 1.5],
  ] as const) {
    const row = rowOf(size, () => 3 * normal());
    const greatest = row.reduce((a, b) => Math.max(a, b));
    const weights = Array.from(row, (logit) => Math.exp((logit - greatest) / temperature));
    const total = weights.reduce((a, b) => a + b);
    const counts = new Float64Array(size);
    const count = Math.min(draws, Math.ceil(4e8 / size));
    for (let d = 0; d < count; d++) counts[reader.answerOf(row, temperature, reader.uniform(d >> 3, d & 7))[2]!]!++;
    let [square, cells, open, seen] = [0, 0, 0, 0];
    for (const [token, weight] of weights.entries()) {
      open += (count * weight) / total;
      seen += counts[token]!;
      if (open < 5) continue;
      square += (seen - open) ** 2 / open;
      cells++;
      open = seen = 0;
    }
    const freedom = cells - 1;
    const deviations = ((square / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / Math.sqrt(2 / (9 * freedom));
    write(
      `${count} draws of ${size} tokens at ${temperature}: ${deviations.toFixed(2)} deviations from their distribution`,
    );
    if (Math.abs(deviations) > 4.9) strayed = true;
  }
  return strayed;
}

function times(): void {
  for (const size of [2_048, 49_152, 151_936, 262_144]) {
    const row = rowOf(size, () => 4 * normal());
    const reading = reader.repeat(row, -1, 0, 50);
    const draw = reader.repeat(row, 0.7, 0.999, 50);
    write(`${size} tokens: ${reading.toFixed(3)} ms of processor time a reading, ${draw.toFixed(3)} ms a drawn token`);
  }
}
