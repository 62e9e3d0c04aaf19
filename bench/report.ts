/**
 * Wall time of `supportcal report` as a whole process, and of rendering alone: the demo (from reports/demo, run
 * `npm run pipeline` first) and a run of the size of paper-medmcqa (12 targets, 5 seeds, ten columns, every figure),
 * made of the demo's.
 *
 *     node --import tsx bench/report.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reportStage } from '../src/pipeline/report-stage.js';
import { renderReport } from '../src/report/render-report.js';
import { stringifyResults } from '../src/results/parse-results.js';

const TIMES = 3;
const scratch = mkdtempSync(path.join(tmpdir(), 'supportcal-report-bench-'));

/** The demo's first data set, with its ten columns and all its figures, stretched to the 12 targets of the paper. */
async function writePaperSize(): Promise<string> {
  const { results, diagnostics, examples, manifest } = await reportStage('reports/demo');
  const [dataset] = results.summary.map((row) => row.dataset);
  const known = [...new Set(results.summary.map(({ target }) => target))];
  const copies = Array.from({ length: 12 }, (_, n) => ({ name: `model-${n}-instruct`, of: known[n % known.length]! }));
  const stretched = <T extends object>(rows: readonly T[]): T[] => {
    const own = rows.filter((row) => !('dataset' in row) || row.dataset === dataset);
    const shared = own.filter((row) => !('target' in row) || row.target === null);
    const ofTargets = copies.flatMap(({ name, of }) =>
      own.filter((row) => 'target' in row && row.target === of).map((row) => ({ ...row, target: name })),
    );
    return [...shared, ...ofTargets];
  };
  const lists = <T extends object>(document: T): T =>
    Object.fromEntries(
      Object.entries(document).map(([key, value]) => [key, Array.isArray(value) ? stretched(value) : value]),
    ) as T;
  const out = path.join(scratch, 'paper');
  mkdirSync(out);
  writeFileSync(path.join(out, 'results.json'), stringifyResults(lists({ ...results, warnings: [] })));
  writeFileSync(path.join(out, 'diagnostics.json'), stringifyResults(lists(diagnostics)));
  writeFileSync(path.join(out, 'examples.json'), JSON.stringify(examples && lists(examples)));
  writeFileSync(path.join(out, 'manifest.json'), JSON.stringify(manifest));
  return out;
}

async function measure(name: string, out: string): Promise<void> {
  const wholes: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const from = performance.now();
    const { status, stderr } = spawnSync(
      process.execPath,
      ['scripts/supportcal.mjs', 'report', '--out', out, '--quiet'],
      { encoding: 'utf8' },
    );
    if (status !== 0 && status !== 4) throw new Error(stderr);
    wholes.push(performance.now() - from);
  }
  const input = await reportStage(out);
  const rendered: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const from = performance.now();
    renderReport(input);
    rendered.push(performance.now() - from);
  }
  const kilobytes = statSync(path.join(out, 'report.html')).size / 1000;
  const least = (times: readonly number[]) => `${(Math.min(...times) / 1000).toFixed(2)} s`;
  process.stdout.write(
    `${name}: whole process ${least(wholes)}, rendering ${least(rendered)}, report.html ${kilobytes.toFixed(0)} kB\n`,
  );
}

await measure('demo', 'reports/demo');
await measure('paper-medmcqa size', await writePaperSize());
rmSync(scratch, { recursive: true });
