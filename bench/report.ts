/**
 * Wall time of `supportcal report` as a whole process, and of rendering alone: the demo (from reports/demo, run
 * `npm run pipeline` first) and a run of the size of paper-medmcqa (12 targets, 5 seeds, made-up numbers).
 *
 *     node --import tsx bench/report.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reportStage } from '../src/pipeline/report-stage.js';
import { stringifyResults } from '../src/report/parse-results.js';
import { renderReport } from '../src/report/render-report.js';
import { exampleInput } from '../test/report/example-report.js';

const TIMES = 3;
const scratch = mkdtempSync(path.join(tmpdir(), 'supportcal-report-bench-'));

function writePaperSize(): string {
  const targets = Array.from({ length: 12 }, (_, n) => `model-${n}-instruct`);
  const input = exampleInput({ datasets: ['medmcqa'], targets, evaluationCount: 2929 });
  const examples = input.examples!.examples.flatMap((example) =>
    Array.from({ length: 5 }, (_, n) => ({ ...example, rank: n + 1, id: `${example.id}-${n}` })),
  );
  const out = path.join(scratch, 'paper');
  mkdirSync(out);
  writeFileSync(path.join(out, 'results.json'), stringifyResults(input.results));
  writeFileSync(path.join(out, 'diagnostics.json'), stringifyResults(input.diagnostics));
  writeFileSync(path.join(out, 'examples.json'), JSON.stringify({ ...input.examples, examples }));
  writeFileSync(path.join(out, 'manifest.json'), JSON.stringify(input.manifest));
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
await measure('paper-medmcqa size', writePaperSize());
rmSync(scratch, { recursive: true });
