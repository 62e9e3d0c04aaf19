import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeImportedEntry } from '../src/cache/imported-entry.js';
import { median, write } from './measure.js';

/*
 * `supportcal calibrate` as a whole process: start, reading and verifying the cache, joining, splits, every fit of
 * every method, every metric but the bootstrap, writing results.json and splits.json. Logits are seeded random numbers,
 * imported into a temporary cache before the clock starts. Prints wall seconds and peak memory of each run and their
 * median.
 *
 *   npx tsx bench/calibrate-process.ts small   12 targets x 4,183 examples x 9 references x 5 seeds; bar 1.2 s
 *   npx tsx bench/calibrate-process.ts large   1 target x 1,000,000 examples x 10 models x 5 seeds; bar 7 s, 2 GiB
 *   npx tsx bench/calibrate-process.ts nested 1  12 targets x 4,183 examples x ten columns x 5 seeds with a nested
 *                                              bootstrap of 1,000 resamples, every temperature refitted; bar 60 s
 *   npx tsx bench/calibrate-process.ts 100000  1 target, that many examples, 10 models
 *   ... [size] [runs, default 3] [entry: scripts/supportcal.mjs (the sources) or dist/main.js] [flags of calibrate ...]
 */
const SIZES: Record<string, { targets: number; examples: number; bases: number; nested?: true }> = {
  // One base is the own base of every target; the other nine are its references.
  small: { targets: 12, examples: 4183, bases: 10 },
  large: { targets: 1, examples: 1_000_000, bases: 9 },
  nested: { targets: 12, examples: 4183, bases: 10, nested: true },
};
const [name = 'small', runs = '3', entry = 'scripts/supportcal.mjs', ...flags] = process.argv.slice(2);
const size = SIZES[name] ?? { targets: 1, examples: Number(name), bases: 9 };
if (size.nested) flags.push('--bootstrap', '1000');
// Ten columns: six methods of one each and SupportCal of four.
const combinationSizes = size.nested ? '[1, 2, 3, 4]' : '[2, 4]';
const state = { seed: 20 };
const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-bench-'));
try {
  await makeSuite();
  const seconds: number[] = [];
  const peaks: number[] = [];
  for (let run = 0; run < Number(runs); run++) {
    const { wall, cpu, peak } = await calibrate();
    seconds.push(wall);
    peaks.push(peak);
    write(`${wall.toFixed(2)} s wall, ${cpu.toFixed(2)} s of CPU, peak ${peak.toFixed(0)} MiB`);
  }
  write(
    `${name}: ${size.targets} targets x ${size.examples} examples x ${size.bases + size.targets} models x 5 seeds, ${entry} ${flags.join(' ')}: ` +
      `median ${median(seconds).toFixed(2)} s, peak ${Math.max(...peaks).toFixed(0)} MiB`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function makeSuite(): Promise<void> {
  mkdirSync(path.join(folder, 'datasets'));
  writeFileSync(path.join(folder, 'datasets/random.yaml'), '{}\n');
  const bases = Array.from({ length: size.bases }, (_, r) => `base-${r}`);
  const targets = Array.from({ length: size.targets }, (_, t) => `target-${t}`);
  const models = [
    ...bases.map((id) => `  - { id: ${id}, role: base }`),
    ...targets.map((id, t) => `  - { id: ${id}, role: post-trained, base: base-${t % size.bases} }`),
  ];
  writeFileSync(
    path.join(folder, 'models.yaml'),
    `models:\n${models.join('\n')}\nsuites:\n  s: { datasets: [random], combinationSizes: ${combinationSizes} }\n`,
  );
  const labels = Array.from({ length: size.examples }, () => Math.floor(random() * 4));
  for (const model of [...bases, ...targets]) {
    const sharpness = model.startsWith('base') ? 1 : 8;
    await writeImportedEntry(path.join(folder, 'cache'), {
      datasetHash: null,
      model,
      dataset: 'random',
      unit: 'logits',
      sourceHash: '',
      createdAt: '2026-01-01T00:00:00Z',
      labels,
      rows: labels.map((label, n) => ({
        status: 'ok' as const,
        id: `q${((n * 7919) % size.examples).toString().padStart(8, '0')}`,
        logits: Float64Array.from({ length: 4 }, (_, k) => sharpness * ((k === label ? 1 : 0) + 2 * random() - 1)),
        logZ: Number.NaN,
        optionMass: Number.NaN,
        promptTokens: 0,
      })),
    });
  }
}

/** One run in a process of its own, which tells its peak memory and CPU time as it ends. */
function calibrate(): Promise<{ wall: number; cpu: number; peak: number }> {
  const report = path.join(folder, 'usage.json');
  const preload = path.join(folder, 'usage.mjs');
  writeFileSync(
    preload,
    `import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(${JSON.stringify(report)}, JSON.stringify(process.resourceUsage())));\n`,
  );
  const at = (file: string) => path.join(folder, file);
  // What the run before kept would be taken in place of a calibration.
  rmSync(at('cache/calibrated'), { recursive: true, force: true });
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...['--import', preload, entry, 'calibrate', '--suite', 's'],
      ...['--models', at('models.yaml'), '--datasets', at('datasets'), '--cache', at('cache'), '--out', at('out')],
      ...['--quiet', '--gpu', 'off', '--bootstrap', '0', ...flags],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      const wall = (performance.now() - started) / 1000;
      if (code !== 0) return reject(new Error(`calibrate ended with exit code ${code}`));
      const usage = JSON.parse(readFileSync(report, 'utf8')) as NodeJS.ResourceUsage;
      const cpu = (usage.userCPUTime + usage.systemCPUTime) / 1e6;
      resolve({ wall, cpu, peak: usage.maxRSS / 1024 });
    });
  });
}

/** mulberry32: small, seeded, good enough for a load. */
function random(): number {
  state.seed = (state.seed + 0x6d2b79f5) | 0;
  let t = Math.imul(state.seed ^ (state.seed >>> 15), 1 | state.seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
