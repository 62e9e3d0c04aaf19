import { calibrateTarget } from '../src/calibration/calibrate-target.js';
import { exampleSplitter } from '../src/calibration/split-examples.js';
import { evaluator } from '../src/metrics/evaluate.js';
import type { RaggedRows } from '../src/numeric/ragged-rows.js';

/*
 * The mathematics of the calibrate stage on seeded random logits of the sizes in the design: every method, every
 * metric, five seeds, nothing read from disk. Run: npx tsx bench/calibration-stage.ts [small|large]
 */
const SIZES = {
  small: { targets: 12, examples: 4183, references: 9 },
  large: { targets: 1, examples: 1_000_000, references: 8 },
};
const state = { seed: 20 };
const METHODS = ['vanilla', 'daca', 'full-kl', 'relative-only', 'supportcal', 'oracle-ts'];

for (const name of process.argv[2] === undefined ? (['small', 'large'] as const) : [process.argv[2] as 'small']) {
  const { targets, examples, references } = SIZES[name];
  const made = performance.now();
  const ids = Array.from({ length: examples }, (_, n) => `q${((n * 7919) % examples).toString().padStart(8, '0')}`);
  const labels = Int32Array.from({ length: examples }, () => Math.floor(random() * 4));
  const pool = Array.from({ length: references }, (_, r) => ({ id: `base-${r}`, logits: model(labels, 1) }));
  const suite = Array.from({ length: targets }, () => ({ target: model(labels, 8), ownBase: model(labels, 1) }));
  const began = performance.now();
  const cpu = process.cpuUsage();
  let fits = 0;
  let iterations = 0;
  const spent = { prepare: 0, split: 0, fit: 0, metrics: 0 };
  const timed = <T>(part: keyof typeof spent, work: () => T): T => {
    const from = performance.now();
    const result = work();
    spent[part] += performance.now() - from;
    return result;
  };
  const split = timed('split', () => exampleSplitter(ids, null));
  const splits = [1, 2, 3, 4, 5].map((seed) => timed('split', () => split(seed, 0.3)));
  for (const { target, ownBase } of suite) {
    const calibration = timed('prepare', () =>
      calibrateTarget({
        targetLogits: target,
        ownBaseLogits: ownBase,
        references: pool,
        labels,
        methods: METHODS,
        combinationSizes: [2, 4],
      }),
    );
    for (const part of splits) {
      const evaluateAt = timed('metrics', () => evaluator({ logits: target, indexes: part.evaluation, labels }));
      for (const { outcome } of timed('fit', () => calibration.fit(part.calibration)).outcomes) {
        if (outcome.kind === 'none') continue;
        if (outcome.kind === 'finite') iterations += outcome.iterations;
        const beta = outcome.kind === 'finite' ? outcome.inverseTemperature : 0;
        timed('metrics', () => evaluateAt(beta));
        fits++;
      }
    }
  }
  const seconds = (performance.now() - began) / 1000;
  const used = process.cpuUsage(cpu);
  const parts = Object.entries(spent).map(([part, ms]) => `${part} ${(ms / 1000).toFixed(2)}`);
  process.stdout.write(
    `${name}: ${targets} targets x ${examples} examples x ${references} references x 5 seeds: ${seconds.toFixed(2)} s, ${((used.user + used.system) / 1e6).toFixed(2)} s of CPU ` +
      `(${parts.join(', ')}; ${fits} evaluations, ${iterations} evaluations of L'), ` +
      `peak RSS ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MiB, data made in ${((began - made) / 1000).toFixed(1)} s\n`,
  );
}

/** Four options; the right one gets more, all of it times `sharpness`. */
function model(labels: Int32Array, sharpness: number): RaggedRows {
  const values = Float64Array.from({ length: 4 * labels.length }, (_, i) => {
    const signal = labels[i >> 2] === (i & 3) ? 1 : 0;
    return sharpness * (signal + 2 * random() - 1);
  });
  return { rowCount: labels.length, offsets: Int32Array.from({ length: labels.length + 1 }, (_, n) => 4 * n), values };
}

/** mulberry32: small, seeded, good enough for a load. */
function random(): number {
  state.seed = (state.seed + 0x6d2b79f5) | 0;
  let t = Math.imul(state.seed ^ (state.seed >>> 15), 1 | state.seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
