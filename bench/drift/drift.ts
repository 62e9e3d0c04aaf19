/**
 * How often questions like those of a fit are called drift, and how often others are:
 * `npx tsx bench/drift/drift.ts ARTEFACT fit.jsonl NAME=shifted.jsonl ...`, all lines of `supportcal predict` with the
 * artefact. Each trial draws 500 rows of the fit as the reference, and a window of other rows of the fit, or of shifted
 * ones; 1,000 trials for each size of window.
 */
import { readFile } from 'node:fs/promises';
import { signalSketch } from '../../src/inference/drift/signal-sketch.js';
import { shuffle } from '../../src/numeric/random/shuffle.js';
import { type DriftReference, SIGNALS } from '../../src/pipeline/artefact/drift-schema.js';
import { parseArtefact } from '../../src/pipeline/artefact/parse-artefact.js';
import type { QuestionSignals } from '../../src/pipeline/artefact/question-signals.js';
import { DriftWindow } from '../../src/pipeline/monitor/drift-window.js';
import { readLog } from '../../src/pipeline/monitor/read-log.js';

const TRIALS = 1000;
const REFERENCE = 500;
const WINDOWS = [60, 200];

const [artefactFile = '', fitFile = '', ...shifted] = process.argv.slice(2);
const artefact = parseArtefact(await readFile(artefactFile, 'utf8'), artefactFile);
const fit = await signalsIn(fitFile);
const print = (line: string) => process.stdout.write(`${line}\n`);
print(`| questions | ${WINDOWS.map((size) => `${size} at a time`).join(' | ')} |`);
print(`|---|${WINDOWS.map(() => '---').join('|')}|`);
print(`| like those of the fit | ${WINDOWS.map((size) => percent(rate(size, null))).join(' | ')} |`);
for (const each of shifted) {
  const [name = '', file = ''] = each.split('=');
  const rows = await signalsIn(file);
  print(`| ${name} | ${WINDOWS.map((size) => percent(rate(size, rows))).join(' | ')} |`);
}

async function signalsIn(file: string): Promise<QuestionSignals[]> {
  const found: QuestionSignals[] = [];
  for await (const group of readLog(artefact, file, { answers: 0, others: 0 })) found.push(...group);
  return found;
}

/** Share of the trials that are called drift; null: windows of rows of the fit. */
function rate(size: number, others: readonly QuestionSignals[] | null): number {
  let alarms = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    const order = shuffle(fit.length, trial);
    const window = new DriftWindow(referenceOf([...order.subarray(0, REFERENCE)].flatMap((n) => fit[n] ?? [])));
    const from = others ?? [...order.subarray(REFERENCE)].flatMap((n) => fit[n] ?? []);
    const drawn =
      others === null
        ? from.slice(0, size)
        : [...shuffle(from.length, trial).subarray(0, size)].flatMap((n) => from[n] ?? []);
    if (drawn.length < size) throw new Error(`only ${from.length} rows for windows of ${size}`);
    for (const signals of drawn) window.add(signals);
    if (window.report().drift === true) alarms++;
  }
  return alarms / TRIALS;
}

function referenceOf(rows: readonly QuestionSignals[]): DriftReference {
  const signals = SIGNALS.flatMap((name) => {
    const sketch = signalSketch(Float64Array.from(rows, (row) => row[name] ?? Number.NaN));
    return sketch === null ? [] : [[name, { rows: sketch.rows, values: [...sketch.values] }] as const];
  });
  return { rule: '', signals: Object.fromEntries(signals) };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
