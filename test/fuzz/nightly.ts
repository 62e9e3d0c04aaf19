import path from 'node:path';
import { runFuzz } from './run-fuzz.js';
import { TARGETS } from './targets.js';
import { writeFigures } from './write-figures.js';

/**
 * The fuzzers at full length: `npm run test:nightly -- [seed] [cases]`. Prints every failure with its case number,
 * writes the figures into docs/reliability.md when it ran at least 10,000 cases of each, exits 1 on a failure.
 */
const [seed = 20261128, cases = 10_000] = process.argv.slice(2).map(Number);
const rows: string[] = [];
let failed = 0;
for (const { name } of TARGETS) {
  const started = Date.now();
  const { endings, failures, stopped } = await runFuzz(name, seed, cases);
  const of = (start: string) =>
    Object.entries(endings).reduce((sum, [ending, count]) => sum + (ending.startsWith(start) ? count : 0), 0);
  const unseen = of('accepted, no checksum');
  rows.push(
    `| ${name} | ${cases} | ${of('refused')} | ${of('accepted') - unseen} | ${unseen} | ${stopped} | ${failures.length} |`,
  );
  failed += failures.length;
  process.stdout.write(`${rows.at(-1)} ${((Date.now() - started) / 1000).toFixed(0)} s\n`);
  for (const { index, what } of failures.slice(0, 20))
    process.stdout.write(`  case ${index} (seed ${seed}): ${what}\n`);
}
if (cases >= 10_000) {
  const head =
    '| mutated input | cases | refused with a documented error | accepted, equal to the source | changed value in a format without checksum | decoder hung or died, contained | failures |';
  const command = `\`npm run test:nightly -- ${seed} ${cases}\``;
  const table = [head, '|---|---|---|---|---|---|---|', ...rows].join('\n');
  writeFigures(
    path.resolve(import.meta.dirname, '../../docs/reliability.md'),
    'fuzzing',
    `${table}\n\nWritten by ${command}.`,
  );
}
process.exitCode = failed === 0 ? 0 : 1;
