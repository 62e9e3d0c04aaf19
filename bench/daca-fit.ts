import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { calibrateTarget } from '../src/calibration/calibrate-target.js';
import { weightedKl } from '../src/calibration/weighted-kl.js';
import type { RaggedRows } from '../src/numeric/ragged-rows.js';
import { median, write } from './measure.js';

/*
 * The exact fit of DACA's objective against the fit of its published code (400 epochs of Adam in PyTorch, batches of 256)
 * on the same arrays: seconds of the fit alone, and the loss that both end with, measured by the same function in float64.
 * Ours counts everything from raw logits: predictions, A and D, margins and the root; best and first call are both told,
 * since the first runs before the code is compiled.
 *
 *   npx tsx bench/daca-fit.ts PYTHON [rows, default 1254: 30 % of MedMCQA dev] [runs, default 3]
 *
 * PYTHON has numpy==2.4.6 and torch==2.15.0 (CPU).
 */
const [python = 'python3', rowsText = '1254', runs = '3'] = process.argv.slice(2);
const rows = Number(rowsText);
const OPTIONS = 4;
const state = { seed: 5 };
const labels = Int32Array.from({ length: rows }, () => Math.floor(random() * OPTIONS));
const ownBase = model(1);
const target = model(4);

const rival = published();
const ours = exact();
const agreement = Float64Array.from(ours.disagreement, (flag) => 1 - flag);
const loss = (tau: number) => weightedKl(target, ownBase, agreement, 1 / tau)!;
const theirs = { seconds: median(rival.seconds), tau: rival.taus.at(-1)! };
write(`${rows} rows of ${OPTIONS} options, ${agreement.reduce((sum, weight) => sum + weight, 0)} of them in agreement`);
write(
  `published fit: ${theirs.seconds.toFixed(3)} s (torch ${rival.torch}, ${rival.threads} threads), tau ${rival.taus.map((tau) => tau.toFixed(6)).join(', ')}, loss ${loss(theirs.tau).toFixed(12)}`,
);
write(
  `exact fit:     ${(1000 * ours.first).toFixed(2)} ms the first time, ${(1000 * ours.later).toFixed(3)} ms once compiled, tau ${ours.tau.toFixed(6)}, loss ${loss(ours.tau).toFixed(12)}`,
);
write(
  `ratio: ${(theirs.seconds / ours.first).toFixed(0)} the first time, ${(theirs.seconds / ours.later).toFixed(0)} once compiled; loss ours - theirs ${(loss(ours.tau) - loss(theirs.tau)).toExponential(2)}`,
);

function exact() {
  const seconds: number[] = [];
  let tau = Number.NaN;
  let disagreement: Uint8Array = new Uint8Array();
  for (let run = 0; run < 30; run++) {
    const began = performance.now();
    const calibration = calibrateTarget({
      ...{ targetLogits: target, ownBaseLogits: ownBase, references: [], methods: ['daca'], combinationSizes: [] },
    });
    const { outcome } = calibration.fit(Int32Array.from({ length: rows }, (_, n) => n)).outcomes[0]!;
    seconds.push((performance.now() - began) / 1000);
    if (outcome.kind !== 'finite') throw new Error(`the fit ended ${outcome.kind}`);
    tau = outcome.temperature;
    disagreement = calibration.disagreement;
  }
  return { first: seconds[0]!, later: median(seconds.slice(10)), tau, disagreement };
}

function published() {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-daca-'));
  try {
    const file = path.join(folder, 'logits.f64');
    writeFileSync(file, Buffer.concat([ownBase, target].map(({ values }) => Buffer.from(values.buffer))));
    const script = path.join(import.meta.dirname, 'daca-fit.py');
    const output = execFileSync(python, [script, file, String(rows), String(OPTIONS), runs], { encoding: 'utf8' });
    return JSON.parse(output) as { taus: number[]; seconds: number[]; torch: string; threads: number };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The right option gets more, all of it times `sharpness`. */
function model(sharpness: number): RaggedRows {
  const values = Float64Array.from({ length: OPTIONS * rows }, (_, i) => {
    const signal = labels[Math.floor(i / OPTIONS)] === i % OPTIONS ? 1 : 0;
    return sharpness * (signal + 2 * random() - 1);
  });
  return { rowCount: rows, offsets: Int32Array.from({ length: rows + 1 }, (_, n) => OPTIONS * n), values };
}

/** mulberry32: small, seeded, good enough for a load. */
function random(): number {
  state.seed = (state.seed + 0x6d2b79f5) | 0;
  let t = Math.imul(state.seed ^ (state.seed >>> 15), 1 | state.seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
