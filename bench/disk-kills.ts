import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { seededGenerator } from '../src/numeric/random/seeded-generator.js';
import { HubServer } from '../test/hub/hub-server.js';
import { wordProblems } from '../test/pipeline/demo-workspace.js';
import { quizWorkspace } from '../test/pipeline/quiz-workspace.js';
import { arrowFiles } from '../test/pipeline/score/shared-runs.js';

/**
 * Kills `score --disk` with SIGKILL again and again until a run comes to its end: three models of a hub on this
 * machine, a budget that holds the largest file alone or all but a kilobyte of the three. Prints the kills, the most
 * bytes of model files that lay there at a time, and whether the scores are those of a run without budget and kills.
 *
 *   npm run build && node --import tsx bench/disk-kills.ts [seed]
 */
const MODELS = ['base', 'reference', 'target'] as const;
const COMMIT = 'd'.repeat(40);
const ROWS = 400;
const MAIN = path.resolve(import.meta.dirname, '../dist/main.js');
/** Milliseconds between two looks at the folder. */
const LOOK_MS = 3;

const generator = seededGenerator(Number(process.argv[2] ?? 1));
const server = await new HubServer().start();
const sizes: number[] = [];
for (const model of MODELS) {
  const content = readFileSync(quizWorkspace().demoModel(model));
  sizes.push(content.length);
  server.repositories.set(`o/${model}`, {
    revisions: { main: COMMIT },
    commits: { [COMMIT]: { [`${model}.gguf`]: content } },
  });
}
try {
  const plain = project();
  const started = performance.now();
  await plain.run();
  const whole = performance.now() - started;
  const expected = JSON.stringify(arrowFiles(plain.cache));
  for (const disk of [Math.max(...sizes), sizes.reduce((sum, bytes) => sum + bytes, -1000)]) {
    const { cache, run } = project();
    let [kills, most] = [0, 0];
    for (;;) {
      // Lives are parts of the time that a whole run takes on this machine as busy as it is, each a little longer than
      // the one before, so that the last one comes to its end.
      const share = (generator.next() >>> 0) / 2 ** 32;
      const { killed, peak } = await run(disk, whole * (0.1 + 0.3 * share + 0.01 * kills));
      most = Math.max(most, peak);
      if (!killed) break;
      kills++;
    }
    const equal = JSON.stringify(arrowFiles(cache)) === expected;
    process.stdout.write(
      `a run of ${(whole / 1000).toFixed(1)} s, budget ${disk} B: ${kills} kills, peak ${most} B, scores equal: ${equal}\n`,
    );
    if (!equal || most > disk) process.exitCode = 1;
  }
} finally {
  await server.stop();
}

function project() {
  const work = quizWorkspace(wordProblems(ROWS));
  const { options } = work;
  work.writeModels(Object.fromEntries(MODELS.map((model) => [model, `hf:o/${model}/${model}.gguf`])));
  const flags = ['--suite', 's', '--models', options.models, '--datasets', options.datasets, '--gpu', 'off'];
  const places = ['--cache', options.cache, '--out', options.out];
  const run = (disk?: number, killAfter?: number) =>
    scored([...flags, ...places, ...(disk === undefined ? [] : ['--disk', `${disk}B`])], options.cache, killAfter);
  return { cache: options.cache, run };
}

/** One run, killed after so many milliseconds unless it ended before. */
async function scored(flags: readonly string[], cache: string, killAfter = 600_000) {
  const env = { ...process.env, HF_ENDPOINT: server.endpoint, HF_HUB_CACHE: '/nonexistent' };
  const child = spawn(process.execPath, [MAIN, 'score', ...flags], { env, stdio: 'ignore' });
  let peak = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, bytesIn(path.join(cache, 'hub')));
  }, LOOK_MS);
  const kill = setTimeout(() => child.kill('SIGKILL'), killAfter);
  const killed = await new Promise<boolean>((resolve, reject) =>
    child.on('exit', (code, signal) => {
      if (signal === null && code !== 0) reject(new Error(`a run ended with ${code}`));
      else resolve(signal !== null);
    }),
  );
  clearInterval(look);
  clearTimeout(kill);
  return { killed, peak };
}

/** Bytes of model files, whole or not. */
function bytesIn(folder: string): number {
  if (!existsSync(folder)) return 0;
  const names = (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    /\.gguf(\.partial)?$/.test(name),
  );
  return names.reduce(
    (sum, name) => sum + (statSync(path.join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
