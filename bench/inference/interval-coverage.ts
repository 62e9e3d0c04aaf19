import { coverage } from './coverage.js';
import { type GapShape, type LogitLaw, population } from './population.js';

/*
 * Coverage of the 0.95 intervals of ECE, and size and power of the test of calibration. Run:
 * npx tsx bench/inference/interval-coverage.ts [samples a cell, default 2000] [1: ECE, 2: RMS] [shapes] [logit law]
 */
const samples = Number(process.argv[2] ?? 2000);
const power = process.argv[3] === '2' ? 2 : 1;
const shapes = (process.argv[4] ?? 'over,changing,temperature,one-bin').split(',') as GapShape[];
const law = (process.argv[5] ?? 'normal') as LogitLaw;
const pp = (value: number) => (100 * value).toFixed(2);

process.stdout.write(
  '| K | gaps | true pp | N | measured pp | coverage | too low | too high | width pp | p <= 0.05 |\n',
);
process.stdout.write('|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n');
for (const options of [2, 4]) {
  for (const target of [0, 0.02, 0.05, 0.15]) {
    for (const shape of target === 0 ? shapes.slice(0, 1) : shapes) {
      const from = population(options, shape, target, law);
      for (const count of [429, 1429, 4183]) {
        const got = coverage(from, count, samples, power);
        const cells = [
          options,
          target === 0 ? 'none' : shape,
          pp(power === 1 ? from.ece : from.rms),
          count,
          pp(got.measured),
        ];
        const shares = [got.covered, got.below, got.above].map((share) => share.toFixed(3));
        process.stdout.write(`| ${[...cells, ...shares, pp(got.width), got.rejected.toFixed(3)].join(' | ')} |\n`);
      }
    }
  }
}
