import { binGaps } from '../../src/inference/interval/bin-gaps.js';
import { largestGapInterval } from '../../src/inference/interval/largest-gap-interval.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { type Population, population, sample } from './population.js';

/*
 * Coverage of the intervals of MCE, of level 0.95 or more, by the largest true gap of a bin that holds an example. Run:
 * npx tsx bench/inference/largest-gap-coverage.ts [samples a cell, default 1000]
 */
const samples = Number(process.argv[2] ?? 1000);
const pp = (value: number) => (100 * value).toFixed(2);

process.stdout.write('| K | gaps | ECE pp | N | coverage | too low | too high | width pp |\n');
process.stdout.write('|---|---|---:|---:|---:|---:|---:|---:|\n');
for (const options of [2, 4]) {
  for (const target of [0, 0.05, 0.15]) {
    for (const shape of ['over', 'changing'] as const) {
      if (target === 0 && shape === 'changing') continue;
      const from = population(options, shape, target);
      for (const count of [429, 1429, 4183]) {
        const { below, above, width } = gapCoverage(from, count);
        const shares = [samples - below - above, below, above].map((hits) => (hits / samples).toFixed(3));
        const cells = [options, target === 0 ? 'none' : shape, pp(from.ece), count, ...shares, pp(width)];
        process.stdout.write(`| ${cells.join(' | ')} |\n`);
      }
    }
  }
}

function gapCoverage({ confidences: all, accuracies, ...rest }: Population, count: number) {
  const generator = seededGenerator(1000 * samples + count);
  const trueGaps = reliabilityBins(all, accuracies as never).map(({ overconfidence }) => Math.abs(overconfidence ?? 0));
  let [below, above, width] = [0, 0, 0];
  for (let i = 0; i < samples; i++) {
    const { confidences, correct } = sample({ confidences: all, accuracies, ...rest }, count, generator);
    const bins = reliabilityBins(confidences, correct);
    const truth = Math.max(...bins.map((bin, b) => (bin.count === 0 ? 0 : (trueGaps[b] ?? 0))));
    const { low, high } = largestGapInterval(binGaps([bins]));
    if (high < truth) below++;
    if (low > truth) above++;
    width += (high - low) / samples;
  }
  return { below, above, width };
}
