import { type PairedDifference, pairedDifference } from '../../src/inference/paired-difference.js';
import { moments, type Trial, trials } from './paired-trials.js';
import { type LabelLaw, type MethodLaw, world } from './world.js';

/*
 * Two methods whose temperatures are fitted without labels, five 30/70 splits: the deviation of the mean ECE over new
 * data sets against the total standard error and the SE over splits, and the share of p <= 0.05 of the paired test.
 * Run: npx tsx bench/inference/paired-size.ts [worlds] [N] [data sets for each N] [resamples] [label law]
 */
const law = (target: number, sign: 'over' | 'under', noise = 0): MethodLaw => ({
  noise,
  teacherNoise: 1,
  target,
  sign,
});
const worlds: Record<string, readonly [MethodLaw, MethodLaw]> = {
  noisy: [law(0.05, 'over', 0.6), law(0.05, 'over', 0.6)],
  opposite: [law(0.05, 'over'), law(0.05, 'under')],
  calibrated: [law(0, 'over'), law(0, 'over')],
  '2 against 5 pp': [law(0.02, 'over'), law(0.05, 'over')],
  '2 against 5 pp, noisy': [law(0.02, 'over', 0.6), law(0.05, 'over', 0.6)],
  'opposite of 2 pp': [law(0.02, 'over'), law(0.02, 'under')],
};
interface Row extends Pick<Trial, 'eces' | 'splitErrors'> {
  readonly test: PairedDifference;
  readonly total: readonly number[];
}
const list = (at: number, fallback: string) => (process.argv[at] ?? fallback).split(',');
const names = list(2, 'noisy,opposite,calibrated').flatMap((name) =>
  name === 'power' ? Object.keys(worlds).slice(3, 5) : [name],
);
const counts = list(3, '429,1429,4183').map(Number);
const sets = list(4, '1000,500,400').map(Number);
const resamples = Number(process.argv[5] ?? 200);
const labelLaws: Record<string, LabelLaw> = {
  plain: { options: 4, deviation: 1.6, tails: 'normal' },
  two: { options: 2, deviation: 1.3, tails: 'normal' },
  heavy: { options: 5, deviation: 1.2, tails: 'heavy' },
};
const labelLaw = labelLaws[process.argv[6] ?? 'plain'];
const pp = (value: number) => (100 * value).toFixed(2);

process.stdout.write(
  '| world | N | data sets | mean ECE | SD of it | total SE | SE over splits | SD of the difference | its SE | p <= 0.05 |\n',
);
process.stdout.write('|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n');
for (const name of names) {
  const laws = worlds[name];
  if (laws === undefined) throw new Error(`no world ${name}; there are ${Object.keys(worlds).join(', ')}`);
  const of = world(laws, undefined, labelLaw);
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
      pp(moments(rows.map(({ test }) => test.difference)).deviation),
      pp(moments(rows.map(({ test }) => test.standardError)).mean),
      (rows.filter(({ test }) => test.pValue <= 0.05).length / rows.length).toFixed(3),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
}
