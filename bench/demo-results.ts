/**
 * Writes published/demo.json: the results of the demo suite, to compare a run of one's own with (`supportcal compare
 * published/demo.json reports/demo`). Metrics and tables that the comparison does not read are left out.
 *
 *     npm run pipeline && node --import tsx bench/demo-results.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseResults } from '../src/results/parse-results.js';
import { type RunResult, runSchema } from '../src/results/run-schema.js';

const KEPT: ReadonlySet<string> = new Set([
  ...['dataset', 'target', 'ownBase', 'method', 'combinationSize', 'seed', 'temperature', 'temperatureKind'],
  ...['selectedReferences', 'calibrationCount', 'evaluationCount', 'labelledCount', 'accuracy', 'ece'],
]);
const from = 'reports/demo/results.json';
const to = 'published/demo.json';
const { diagnostics: _, verdicts: _verdicts, ...results } = parseResults(readFileSync(from, 'utf8'), from);
if (results.suite !== 'demo' || results.status !== 'complete')
  throw new Error(`${from} is no complete run of the demo`);
const summary = results.summary.map((row) => ({ ...row, intervals: null }));
const document = { ...results, runs: results.runs.map(withoutOthers), summary, comparisons: [] };
const text = `${JSON.stringify(document)}\n`;
parseResults(text, to);
writeFileSync(to, text);
process.stdout.write(`${to}: ${results.runs.length} runs, ${(text.length / 1000).toFixed(0)} kB\n`);

/** A run with the numbers that a comparison reads; a field that the schema demands is null. */
function withoutOthers(run: RunResult): object {
  const fields = Object.entries(run).flatMap(([field, value]) => {
    if (KEPT.has(field)) return [[field, value]];
    const { [field as keyof RunResult]: _, ...rest } = run;
    return runSchema.safeParse(rest).success ? [] : [[field, null]];
  });
  return Object.fromEntries(fields);
}
