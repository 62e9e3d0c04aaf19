import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ModelFacts, ModelJob } from '../src/contract/scorer.js';
import { queueRunner } from '../src/queue/queue-runner.js';
import { runQueueWorker } from '../src/queue/run-queue-worker.js';
import { queueAddress } from '../src/queue/server/queue-address.js';
import { openQueueServer } from '../src/queue/server/queue-server.js';
import type { Versions } from '../src/queue/wire/versions.js';

/*
 * 100,000 ranges of one row planned, sent through a real server and brought back by workers that answer at once: what
 * the queue itself takes. The workers run in processes of their own, so that the memory shown is the dispatcher's.
 *
 *   node --import tsx bench/queue.ts [ranges] [workers]     needs valkey-server or redis-server
 */
const VERSIONS: Versions = { tool: 'bench', llamaCpp: 'b1', nodeLlamaCpp: '3', protocol: 1 };
const PORT = 7391;
const URL_OF_SERVER = `redis://127.0.0.1:${PORT}`;
const SERVER = process.env.SERVER ?? 'redis-server';
const FACTS: ModelFacts = {
  architecture: 'stub',
  backend: 'cpu',
  device: 'a stub',
  bos: true,
  bosReason: 'a stub',
  chatTemplate: null,
  contextSize: 256,
  sequences: 1,
  batchSize: 64,
  threads: 1,
  flashAttention: 'off',
  warnings: [],
};

const say = (line: string) => void process.stdout.write(`${line}\n`);

if (process.argv[2] === 'worker') await work(process.argv[3] ?? 'w');
else await measure(Number(process.argv[2] ?? 100_000), Number(process.argv[3] ?? 2));

async function measure(ranges: number, workerCount: number): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-queue-bench-'));
  const flags = ['--port', String(PORT), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
  const redis = spawn(SERVER, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve) =>
    redis.stdout.on('data', (text) => void (/ready to accept/i.test(String(text)) && resolve())),
  );
  const workers = Array.from({ length: workerCount }, (_, n) =>
    spawn(process.execPath, ['--import', 'tsx', import.meta.filename, 'worker', `w${n}`], { stdio: 'inherit' }),
  );
  const server = await openQueueServer(queueAddress(URL_OF_SERVER), (_level, message) => say(message));
  let rows = 0;
  let serverPeak = 0;
  let ownPeak = 0;
  const before = process.memoryUsage().rss;
  const measureMemory = async () => {
    ownPeak = Math.max(ownPeak, process.memoryUsage().rss);
    const used = /used_memory:(\d+)/.exec(await server.client.info('memory'))?.[1];
    serverPeak = Math.max(serverPeak, Number(used));
  };
  const look = setInterval(() => void measureMemory(), 250);
  const job = jobOf(ranges, (count) => {
    rows += count;
  });
  const planned = process.memoryUsage().rss;
  const started = performance.now();
  const runner = await queueRunner(
    {
      server,
      device: 'cpu',
      versions: VERSIONS,
      signal: new AbortController().signal,
      onLog: (_level, message) => say(message),
      patienceMs: null,
      limits: { rows: 1, bytes: 1e6 },
    },
    1,
  );
  const outcome = await runner.run(job, {});
  const seconds = (performance.now() - started) / 1000;
  await runner.close();
  clearInterval(look);
  const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  say(`${outcome.kind}: ${rows} rows in ${ranges} ranges, ${workerCount} workers, ${seconds.toFixed(1)} s`);
  say(`${Math.round(ranges / seconds)} ranges/s`);
  say(`dispatcher: ${mib(ownPeak)} at most, ${mib(planned)} with the prompts alone, ${mib(before)} before`);
  say(`server: ${mib(serverPeak)} at most`);
  for (const worker of workers) worker.kill('SIGKILL');
  await server.close();
  redis.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** Prompts of about 800 characters: a question of 200 tokens. */
function jobOf(ranges: number, onRows: (count: number) => void): ModelJob {
  const words = 'which of the following options is the right one '.repeat(17);
  const prompts = Array.from({ length: ranges }, (_, n) => ({
    id: `q${n}`,
    text: `${n}: ${words}`,
    mode: 'letter' as const,
    continuations: ['A', 'B', 'C', 'D'],
    answerPrefix: null,
  }));
  return {
    model: { id: 'stub', role: 'base', bucket: 'default', prompt: 'raw', file: 'stub.gguf' },
    place: { kind: 'gguf', path: 'stub.gguf', bytes: 1 },
    content: { sha256: 'ab'.repeat(32), hub: null, lora: [], identity: { modelHash: 'stub', backend: 'cpu' } },
    jobs: [{ dataset: 'quiz', prompts, sharing: null, onRows: async (fresh) => onRows(fresh.length) }],
  };
}

async function work(worker: string): Promise<void> {
  const server = await openQueueServer(queueAddress(URL_OF_SERVER), (_level, message) => say(message));
  const logits = Float32Array.from([1.1, 2.2, 3.3, 4.4]);
  await runQueueWorker({
    server,
    worker,
    device: 'cpu',
    versions: VERSIONS,
    signal: new AbortController().signal,
    events: {},
    idleMs: null,
    async findModel({ model, identity }) {
      const runner = {
        async run({ jobs }: ModelJob) {
          for (const { prompts, onRows } of jobs) {
            const rows = prompts.map(({ id }) => ({
              status: 'ok' as const,
              id,
              logits,
              logZ: 5.5,
              optionMass: 0.9,
              promptTokens: 200,
            }));
            await onRows(rows, FACTS);
          }
          return { kind: 'done' as const, model: model.id, facts: FACTS, seconds: 0, tokens: 0 };
        },
        close: async () => {},
      };
      const spec = { ...model, role: 'base' as const, bucket: 'default' };
      return {
        model: spec,
        place: { kind: 'gguf' as const, path: '', bytes: 1 },
        identity,
        runner,
        unchanged: async () => {},
      };
    },
  });
}
