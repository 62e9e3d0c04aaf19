import { bestMethods } from '../../src/inference/best-methods.js';
import { binGaps } from '../../src/inference/interval/bin-gaps.js';
import { eceInterval } from '../../src/inference/interval/ece-interval.js';
import { moments, trials } from './paired-trials.js';
import { type MethodLaw, world } from './world.js';

/*
 * A table cell, the mean ECE of five 30/70 splits with refitted temperatures: coverage of its interval for the ECE at
 * the temperature that the whole population gives, with the noise of fits and splits and without; and how often the set
 * of best methods holds the best one, how many methods it has, and in how many data sets nothing is marked. Run: npx
 * tsx bench/inference/cell-coverage.ts [N] [data sets for each N] [resamples]
 */
const law = (target: number, sign: 'over' | 'under' = 'over'): MethodLaw => ({
  noise: 0,
  teacherNoise: 1,
  target,
  sign,
});
const laws = [law(0), law(0.02), law(0.05), law(0.05, 'under'), law(0.15)];
const list = (at: number, fallback: string) => (process.argv[at] ?? fallback).split(',').map(Number);
const counts = list(2, '429,1429,4183');
const sets = list(3, '400,250,100');
const resamples = Number(process.argv[4] ?? 100);
const pp = (value: number) => (100 * value).toFixed(2);
const of = world(laws);

process.stdout.write('| N | data sets | true pp | sign | coverage | width pp | without refits | width pp |\n');
process.stdout.write('|---:|---:|---:|---|---:|---:|---:|---:|\n');
for (const [i, count] of counts.entries()) {
  const rows = laws.map(() => ({ covered: 0, width: 0, bare: 0, bareWidth: 0 }));
  const marks = { best: 0, size: 0, silent: 0 };
  const total = sets[i] ?? 100;
  for (const { eces, bins, boot, signed } of trials(of, count, [total, resamples])) {
    for (const [m, row] of rows.entries()) {
      const truth = of.methods[m]?.ece ?? 0;
      const gaps = binGaps(bins[m] ?? [], 0.7);
      const measured = eces[m] ?? 0;
      const wide = eceInterval(gaps, measured, { totalError: moments(boot[m]?.eces ?? []).deviation });
      const bare = eceInterval(gaps, measured);
      if (wide.low <= truth && truth <= wide.high) row.covered += 1 / total;
      if (bare.low <= truth && truth <= bare.high) row.bare += 1 / total;
      row.width += (wide.high - wide.low) / total;
      row.bareWidth += (bare.high - bare.low) / total;
    }
    const { set, excludesSome } = bestMethods(signed);
    if (set[0]) marks.best += 1 / total;
    if (!excludesSome) marks.silent += 1 / total;
    marks.size += set.filter(Boolean).length / total;
  }
  for (const [m, { covered, width, bare, bareWidth }] of rows.entries()) {
    const cells = [
      count,
      total,
      pp(of.methods[m]?.ece ?? 0),
      laws[m]?.sign,
      covered.toFixed(3),
      pp(width),
      bare.toFixed(3),
      pp(bareWidth),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
  process.stdout.write(
    `N ${count}: the best is in the set in ${marks.best.toFixed(3)}, mean size of the set ${marks.size.toFixed(2)} of ${laws.length}, nothing marked in ${marks.silent.toFixed(3)}\n`,
  );
}
