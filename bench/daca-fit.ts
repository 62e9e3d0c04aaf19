import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { calibrateTarget } from '../src/calibration/calibrate-target.js';
import { weightedKl } from '../src/calibration/fit/weighted-kl.js';
import { type RaggedRows, takeRows } from '../src/numeric/ragged-rows.js';
import { median, write } from './measure.js';

/*
 * The exact fit of DACA's objective against the fit of its published code (400 epochs of Adam in PyTorch, batches of
 * 256) on the same arrays: CPU seconds of one thread of theirs and of all of ours (compiler and garbage collector too),
 * since they stay the same on a busy machine, and the loss that both end with, by the same function in float64. Ours
 * counts everything from raw logits: predictions, A and D, margins and the root. Told are
 *   - the first fit of a process, which runs before the code is compiled;
 *   - the fits of a calibrate stage: TARGETS targets, each prepared once and fitted on SPLITS splits, from the first
 *     call of the process on, divided by their number;
 *   - a fit once the code is compiled.
 *
 *   npx tsx bench/daca-fit.ts PYTHON [rows of a split, default 1254: 30 % of MedMCQA dev] [runs of theirs, default 3]
 *
 * PYTHON has numpy==2.4.6 and torch==2.15.0 (CPU).
 */
const [python = 'python3', rowsText = '1254', runs = '3'] = process.argv.slice(2);
const rows = Number(rowsText);
const OPTIONS = 4;
const TARGETS = 12;
const SPLITS = 5;
const exampleCount = Math.ceil(rows / 0.3);
const state = { seed: 5 };
const labels = Int32Array.from({ length: exampleCount }, () => Math.floor(random() * OPTIONS));
const ownBase = model(1);
const targets = Array.from({ length: TARGETS }, (_, t) => model(2 + t / 2));
const target = targets[4]!;
const split = Int32Array.from({ length: rows }, (_, n) => n);

const ours = exact();
const rival = published();
const agreement = Float64Array.from(split, (n) => 1 - ours.disagreement[n]!);
const [rivalTarget, rivalBase] = [target, ownBase].map((logits) => takeRows(logits, split));
const loss = (tau: number) => weightedKl(rivalTarget!, rivalBase!, agreement, 1 / tau)!;
const theirs = { seconds: median(rival.seconds), tau: rival.taus.at(-1)! };
write(`${rows} rows of ${OPTIONS} options, ${agreement.reduce((sum, weight) => sum + weight, 0)} of them in agreement`);
write(
  `published fit: ${theirs.seconds.toFixed(3)} s (torch ${rival.torch}, ${rival.threads} threads), tau ${rival.taus.map((tau) => tau.toFixed(6)).join(', ')}, loss ${loss(theirs.tau).toFixed(12)}`,
);
const line = (what: string, seconds: number) =>
  write(`exact fit, ${what}: ${(1000 * seconds).toFixed(3)} ms, ratio ${(theirs.seconds / seconds).toFixed(0)}`);
line('the first of a process', ours.first);
line(`mean of ${TARGETS * SPLITS + 1} fits as in a calibrate stage, the first one too`, ours.stage);
line('once compiled', ours.later);
write(
  `tau ${ours.tau.toFixed(6)}, loss ${loss(ours.tau).toFixed(12)}: ours - theirs ${(loss(ours.tau) - loss(theirs.tau)).toExponential(2)}`,
);

function exact() {
  const first = cpu(() => prepare(target).fit(split));
  const stage = cpu(() => {
    for (const each of targets) {
      const prepared = prepare(each);
      for (let s = 0; s < SPLITS; s++)
        prepared.fit(Int32Array.from({ length: rows }, (_, n) => (n * 3 + s * 997) % exampleCount));
    }
  });
  const later = cpu(() => {
    for (let run = 0; run < 50; run++) prepare(target).fit(split);
  });
  const prepared = prepare(target);
  const { outcome } = prepared.fit(split).outcomes[0]!;
  if (outcome.kind !== 'finite') throw new Error(`the fit ended ${outcome.kind}`);
  return {
    first,
    stage: (first + stage) / (TARGETS * SPLITS + 1),
    later: later / 50,
    tau: outcome.temperature,
    disagreement: prepared.disagreement,
  };
}

function prepare(targetLogits: RaggedRows) {
  return calibrateTarget({
    targetLogits,
    ownBaseLogits: ownBase,
    references: [],
    methods: ['daca'],
    combinationSizes: [],
  });
}

function cpu(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function published() {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-daca-'));
  try {
    const file = path.join(folder, 'logits.f64');
    const blocks = [ownBase, target].map((logits) => Buffer.from(takeRows(logits, split).values.buffer));
    writeFileSync(file, Buffer.concat(blocks));
    const script = path.join(import.meta.dirname, 'daca-fit.py');
    const output = execFileSync(python, [script, file, String(rows), String(OPTIONS), runs], { encoding: 'utf8' });
    return JSON.parse(output) as { taus: number[]; seconds: number[]; torch: string; threads: number };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The right option gets more, all of it times `sharpness`. */
function model(sharpness: number): RaggedRows {
  const values = Float64Array.from({ length: OPTIONS * exampleCount }, (_, i) => {
    const signal = labels[Math.floor(i / OPTIONS)] === i % OPTIONS ? 1 : 0;
    return sharpness * (signal + 2 * random() - 1);
  });
  const offsets = Int32Array.from({ length: exampleCount + 1 }, (_, n) => OPTIONS * n);
  return { rowCount: exampleCount, offsets, values };
}

/** mulberry32: small, seeded, good enough for a load. */
function random(): number {
  state.seed = (state.seed + 0x6d2b79f5) | 0;
  let t = Math.imul(state.seed ^ (state.seed >>> 15), 1 | state.seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
