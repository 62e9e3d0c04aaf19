import { binGaps } from '../../src/inference/interval/bin-gaps.js';
import { cellShares, smoothError, smoothInterval } from '../../src/inference/interval/smooth-interval.js';
import { rankedConfidences } from '../../src/metrics/bins/ranked-confidences.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { smoothEce } from '../../src/metrics/smooth-ece.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { type GapShape, type LogitLaw, type Population, population, sample } from './population.js';

/*
 * Coverage of the 0.95 intervals of smooth ECE, of all rows or of those named as K:gaps:pp:N. Run:
 * npx tsx bench/inference/smooth-coverage.ts [samples a cell, default 500] [shapes] [logit law] [rows]
 */
const samples = Number(process.argv[2] ?? 500);
const shapes = (process.argv[3] ?? 'over,changing').split(',') as GapShape[];
const law = (process.argv[4] ?? 'normal') as LogitLaw;
const rows = process.argv[5]?.split(',');
const pp = (value: number) => (100 * value).toFixed(2);

process.stdout.write('| K | gaps | true pp | N | measured pp | coverage | too low | too high | width pp |\n');
process.stdout.write('|---|---|---:|---:|---:|---:|---:|---:|---:|\n');
for (const options of [2, 4]) {
  for (const target of [0, 0.02, 0.05, 0.15]) {
    for (const shape of target === 0 ? shapes.slice(0, 1) : shapes) {
      const counts = [429, 1429, 4183].filter(
        (count) => rows?.includes([options, shape, 100 * target, count].join(':')) ?? true,
      );
      if (counts.length === 0) continue;
      const from = population(options, shape, target, law);
      const truth = smoothTruth(from);
      for (const count of counts) {
        const { measured, below, above, width } = smoothCoverage(from, truth, count);
        const shares = [samples - below - above, below, above].map((hits) => (hits / samples).toFixed(3));
        const cells = [options, target === 0 ? 'none' : shape, pp(truth), count, pp(measured), ...shares, pp(width)];
        process.stdout.write(`| ${cells.join(' | ')} |\n`);
      }
    }
  }
}

/** Smooth ECE of the whole population, whose gaps are known, on a fine grid. */
function smoothTruth({ confidences, accuracies }: Population): number {
  const cells = 2000;
  const shares = cellShares([confidences], cells);
  const gaps = new Float64Array(cells);
  for (const [n, confidence] of confidences.entries()) {
    const cell = Math.min(cells - 1, Math.floor(cells * confidence));
    gaps[cell]! += (confidence - accuracies[n]!) / (shares.shares[cell]! * confidences.length);
  }
  return smoothError(shares, gaps);
}

function smoothCoverage(from: Population, truth: number, count: number) {
  const generator = seededGenerator(1000 * samples + count);
  let [measured, below, above, width] = [0, 0, 0, 0];
  for (let i = 0; i < samples; i++) {
    const { confidences, correct } = sample(from, count, generator);
    const error = smoothEce(rankedConfidences(confidences, correct));
    const { low, high } = smoothInterval(binGaps([reliabilityBins(confidences, correct)]), [confidences], error);
    measured += error / samples;
    if (high < truth) below++;
    if (low > truth) above++;
    width += (high - low) / samples;
  }
  return { measured, below, above, width };
}
