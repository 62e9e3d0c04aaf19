import { type PairedDifference, pairedDifference } from '../../src/inference/paired-difference.js';
import { moments, type Trial, trials } from './paired-trials.js';
import { type LabelLaw, type MethodLaw, world } from './world.js';

/*
 * Two methods whose temperatures are fitted without labels, five 30/70 splits: the deviation of the mean ECE over new
 * data sets against the total standard error and the SE over splits, how often the interval of the paired test holds
 * the true difference, and its share of p <= 0.05.
 * Run: npx tsx bench/inference/paired-size.ts [worlds] [N] [data sets for each N] [resamples] [label law]
 */
const law = (target: number, sign: 'over' | 'under', noise = 0, bend = 1): MethodLaw => ({
  noise,
  teacherNoise: 1,
  target,
  sign,
  bend,
});
const opposite = (size: number, bend = 1) => [law(size, 'over', 0, bend), law(size, 'under', 0, bend)] as const;
/** ECE of logits of power 1.7 at their best temperature: gaps are below 0 up to a confidence of 0.6, then above. */
const CHANGING = 0.0489;
const worlds: Record<string, readonly [MethodLaw, MethodLaw]> = {
  noisy: [law(0.05, 'over', 0.6), law(0.05, 'over', 0.6)],
  opposite: opposite(0.05),
  calibrated: [law(0, 'over'), law(0, 'over')],
  'opposite of 0.5 pp': opposite(0.005),
  'opposite of 1 pp': opposite(0.01),
  'opposite of 2 pp': opposite(0.02),
  'opposite of 3.5 pp': opposite(0.035),
  'noisy, calibrated': [law(0, 'over', 0.6), law(0, 'over', 0.6)],
  'noisy, 2 pp': [law(0.02, 'over', 0.6), law(0.02, 'over', 0.6)],
  'bent, opposite of 4 pp': opposite(0.04, 1.5),
  'bent, opposite of 5 pp': opposite(0.05, 1.5),
  changing: [law(0, 'over', 0.6, 1.7), law(0, 'over', 0.6, 1.7)],
  'changing against over': [law(0, 'over', 0, 1.7), law(CHANGING, 'over')],
  'changing against under': [law(0, 'over', 0, 1.7), law(CHANGING, 'under')],
  '2 against 5 pp': [law(0.02, 'over'), law(0.05, 'over')],
  '2 against 5 pp, noisy': [law(0.02, 'over', 0.6), law(0.05, 'over', 0.6)],
};
const all = Object.keys(worlds);
const groups: Record<string, readonly string[]> = {
  nulls: all.slice(0, 3),
  opposites: all.slice(3, 7),
  'other nulls': all.slice(7, 14),
  power: all.slice(14),
};
interface Row extends Pick<Trial, 'eces' | 'splitErrors'> {
  readonly test: PairedDifference;
  readonly total: readonly number[];
}
const list = (at: number, fallback: string) => (process.argv[at] ?? fallback).split(',');
const names = list(2, 'nulls').flatMap((name) => groups[name] ?? [name]);
const counts = list(3, '429,1429,4183').map(Number);
const sets = list(4, '1000,500,400').map(Number);
const resamples = Number(process.argv[5] ?? 200);
const labelLaws: Record<string, LabelLaw> = {
  plain: { options: 4, deviation: 1.6, tails: 'normal' },
  two: { options: 2, deviation: 1.3, tails: 'normal' },
  heavy: { options: 5, deviation: 1.2, tails: 'heavy' },
  three: { options: 3, deviation: 1, tails: 'normal' },
};
const labelLaw = labelLaws[process.argv[6] ?? 'plain'];
const pp = (value: number) => (100 * value).toFixed(2);

process.stdout.write(
  '| world | N | data sets | mean ECE | SD of it | total SE | SE over splits | interval holds | width pp | p <= 0.05 |\n',
);
process.stdout.write('|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n');
for (const name of names) {
  const laws = worlds[name];
  if (laws === undefined) throw new Error(`no world ${name}; there are ${Object.keys(worlds).join(', ')}`);
  const of = world(laws, undefined, labelLaw);
  const truth = (of.methods[0]?.ece ?? 0) - (of.methods[1]?.ece ?? 0);
  for (const [i, count] of counts.entries()) {
    const rows: Row[] = [];
    for (const { eces, splitErrors, signed, boot } of trials(of, count, [sets[i] ?? 400, resamples])) {
      const [a, b] = signed;
      if (a === undefined || b === undefined) continue;
      const test = pairedDifference(a, b);
      rows.push({ eces, splitErrors, test, total: boot.map((each) => moments(each.eces).deviation) });
    }
    const two = (of: (row: Row, m: 0 | 1) => number | undefined, what: 'mean' | 'deviation') =>
      ([0, 1] as const).map((m) => pp(moments(rows.map((row) => of(row, m) ?? 0))[what])).join(', ');
    const cells = [
      name,
      count,
      rows.length,
      two(({ eces }, m) => eces[m], 'mean'),
      two(({ eces }, m) => eces[m], 'deviation'),
      two(({ total }, m) => total[m], 'mean'),
      two(({ splitErrors }, m) => splitErrors[m], 'mean'),
      (rows.filter(({ test }) => test.low <= truth && truth <= test.high).length / rows.length).toFixed(3),
      pp(moments(rows.map(({ test }) => test.high - test.low)).mean),
      (rows.filter(({ test }) => test.pValue <= 0.05).length / rows.length).toFixed(3),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}
