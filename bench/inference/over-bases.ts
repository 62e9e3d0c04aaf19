import { normalDraws, uniformDraw } from '../../src/inference/law/normal-draws.js';
import { clusterInterval, overModels } from '../../src/inference/over-models.js';
import { seededGenerator } from '../../src/numeric/random/seeded-generator.js';

/*
 * Coverage of intervals of level 0.95 for a mean over targets when bases are drawn: by errors of clusters with
 * Student's law, by the percentiles of a bootstrap of bases, and by Student's interval that takes targets for
 * independent. Run: npx tsx bench/inference/over-bases.ts [data sets a row, default 2000]
 */
const sets = Number(process.argv[2] ?? 2000);
/** Mean of exp(z), z standard normal. */
const SKEWED_MEAN = Math.exp(0.5);

process.stdout.write(
  '| bases | targets of each | effect of a base | clusters and t | bases resampled | targets alone |\n',
);
process.stdout.write('|---:|---|---|---:|---:|---:|\n');
for (const skewed of [false, true]) {
  for (const sizes of [[2], [1, 3]]) {
    for (const bases of [3, 5, 10, 20]) {
      const covered = coverage(bases, sizes, skewed);
      const shares = covered.map((count) => (count / sets).toFixed(3));
      process.stdout.write(
        `| ${[bases, sizes.join(' or '), skewed ? 'log-normal' : 'normal', ...shares].join(' | ')} |\n`,
      );
    }
  }
}

function coverage(bases: number, sizes: readonly number[], skewed: boolean): number[] {
  const generator = seededGenerator(bases + 100 * sizes.length + (skewed ? 7 : 0));
  const truth = skewed ? SKEWED_MEAN : 0;
  const counts = [0, 0, 0];
  for (let i = 0; i < sets; i++) {
    const values = Array.from({ length: bases }, (_, b) => {
      const [effect = 0] = normalDraws(generator, 1);
      const size = sizes[Math.floor(uniformDraw(generator) * sizes.length)] ?? 1;
      return Array.from(normalDraws(generator, size), (own) => ({
        base: String(b),
        value: (skewed ? Math.exp(effect) : effect) + 0.5 * own,
      }));
    }).flat();
    const alone = values.map(({ value }, n) => ({ base: String(n), value }));
    const intervals = [
      clusterInterval(values),
      overModels(
        values.map(({ base, value }) => ({ base, difference: value })),
        0,
        i + 1,
      ).resampled,
      clusterInterval(alone),
    ];
    for (const [k, interval] of intervals.entries())
      if (interval !== null && interval.low <= truth && truth <= interval.high) counts[k] = (counts[k] ?? 0) + 1;
  }
  return counts;
}
