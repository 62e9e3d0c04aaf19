import { binGaps, binnedError } from '../../src/inference/interval/bin-gaps.js';
import { classwiseWidening } from '../../src/inference/interval/classwise-widening.js';
import { eceInterval } from '../../src/inference/interval/ece-interval.js';
import { normalDraws, uniformDraw } from '../../src/inference/law/normal-draws.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { softmax } from '../../src/numeric/softmax.js';

/*
 * Coverage of the 0.95 intervals of classwise ECE, labels from softmax(z), probabilities softmax(beta z). Run:
 * npx tsx bench/inference/classwise-coverage.ts [samples a cell, default 500] [rows as K:pp:N, default all]
 */
const samples = Number(process.argv[2] ?? 500);
const rows = process.argv[3]?.split(',');
const SIZE = 30_000;
const pp = (value: number) => (100 * value).toFixed(2);
const generator = seededGenerator(3);

process.stdout.write('| K | true pp | N | measured pp | coverage | width pp |\n|---|---:|---:|---:|---:|---:|\n');
for (const options of [2, 4]) {
  const logits = Array.from({ length: SIZE }, () => normalDraws(generator, options).map((z) => 1.6 * z));
  const law = logits.map((row) => softmax(row));
  for (const target of [0, 0.02, 0.05, 0.15]) {
    const probabilities = probabilitiesAt(logits, law, target);
    const truth = classwise(probabilities, law);
    for (const count of [429, 1429, 4183]) {
      if (rows?.includes(`${options}:${100 * target}:${count}`) === false) continue;
      let [measured, covered, width] = [0, 0, 0];
      for (let s = 0; s < samples; s++) {
        const taken = Array.from({ length: count }, () => Math.floor(uniformDraw(generator) * SIZE));
        const labels = taken.map((n) => drawLabel(law[n] ?? []));
        const bins = classBins(
          taken.map((n) => probabilities[n] ?? []),
          labels.map((label) => Array.from({ length: options }, (_, k) => Number(k === label))),
        );
        const gaps = binGaps([bins]);
        const error = binnedError(gaps, gaps.gaps, 1);
        const { low, high } = eceInterval(gaps, error, { widening: classwiseWidening(gaps, options) });
        measured += error / samples;
        if (low <= truth && truth <= high) covered += 1 / samples;
        width += (high - low) / samples;
      }
      const cells = [options, pp(truth), count, pp(measured), covered.toFixed(3), pp(width)];
      process.stdout.write(`| ${cells.join(' | ')} |\n`);
    }
  }
}

type Rows = ReadonlyArray<ArrayLike<number>>;

function classBins(probabilities: Rows, outcomes: Rows) {
  return Array.from({ length: probabilities[0]?.length ?? 0 }, (_, k) =>
    reliabilityBins(
      probabilities.map((row) => row[k] ?? 0),
      outcomes.map((row) => row[k] ?? 0),
    ),
  ).flat();
}

function classwise(probabilities: Rows, outcomes: Rows): number {
  const gaps = binGaps([classBins(probabilities, outcomes)]);
  return binnedError(gaps, gaps.gaps, 1);
}

/** Over-confident probabilities of the wanted classwise ECE. */
function probabilitiesAt(logits: readonly Float64Array[], law: Rows, target: number): Float64Array[] {
  const at = (beta: number) => logits.map((row) => softmax(row, beta));
  let [low, high] = [1, target === 0 ? 1 : 4];
  for (let i = 0; i < 12; i++) {
    const middle = (low + high) / 2;
    if (classwise(at(middle), law) < target) low = middle;
    else high = middle;
  }
  return at(high);
}

function drawLabel(law: ArrayLike<number>): number {
  let left = uniformDraw(generator);
  for (let k = 0; k < law.length - 1; k++) {
    left -= law[k] ?? 0;
    if (left < 0) return k;
  }
  return law.length - 1;
}
