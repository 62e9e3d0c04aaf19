/**
 * `supportcal serve` under load against the batch scorer: questions per second and how long callers wait.
 *
 *   npx tsx bench/serve-load.ts ARTEFACT.json MODEL.gguf QUESTIONS.jsonl [clients=64] [rounds=5] [questions=1]
 *
 * `supportcal demo` writes all three. The service runs as a process of its own, each client asks one question (or so
 * many at once) after the other over a connection that stays, and a round puts all questions of the file twice. Between
 * two rounds the batch scorer gets the same prompts in a child that loads the model anew; what loading takes is known
 * from a run over two of them and taken off. Service, clients and model share the cores, so that the last line says
 * what each of them takes of processor time, which other work on the machine changes less than the clock.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { ScoredRow } from '../src/contract/scored-row.js';
import { parseArtefact } from '../src/pipeline/artefact/parse-artefact.js';
import { artefactQuestions, questionAsker } from '../src/pipeline/predict/artefact-questions.js';
import { scoreModels } from '../src/scoring/score-models.js';
import { cpuSecondsOf, cpuSecondsOfAll, median, write } from './measure.js';

const [file = '', modelFile = '', questionFile = '', clients = '64', rounds = '5', together = '1'] =
  process.argv.slice(2);
const artefact = parseArtefact(readFileSync(file, 'utf8'), file);
const rows = readFileSync(questionFile, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line));
const settings = artefactQuestions(artefact, file);
const asked = questionAsker(settings)(rows.map((values, n) => ({ values, number: n + 1, line: undefined })));
const prompts = [...asked, ...asked].flatMap((each, n) =>
  each.kind === 'ok' ? [{ ...each.prompt, id: String(n) }] : [],
);

const service = spawn(
  process.execPath,
  [
    path.resolve(import.meta.dirname, '../dist/main.js'),
    'serve',
    '--artefact',
    file,
    '--model',
    modelFile,
    '--port',
    '0',
    '--gpu',
    'off',
    '--json',
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const { port } = new URL(await addressOf(service));
const agent = new Agent({ keepAlive: true, maxSockets: Number(clients) });
const bodies = inGroups([...rows, ...rows], Number(together)).map((questions) => JSON.stringify({ questions }));

await load(bodies.slice(0, 100));
const results: Record<Measured, number>[] = [];
const [worker = -1] = childrenOf(service.pid ?? -1);
for (let round = 0; round < Number(rounds); round++) {
  const loading = await batchRun(2);
  const whole = await batchRun(prompts.length);
  const batch = prompts.length / (whole.seconds - loading.seconds);
  const cpuMs = (seconds: number) => (1000 * seconds) / prompts.length;
  const [http, model, own] = [cpuSecondsOf(service.pid ?? -1), cpuSecondsOf(worker), process.cpuUsage()];
  const { seconds, waits } = await load(bodies);
  const { user, system } = process.cpuUsage(own);
  const served = prompts.length / seconds;
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(share * waits.length))] ?? 0;
  results.push({
    served,
    batch,
    ratio: served / batch,
    p50: at(0.5),
    p99: at(0.99),
    httpMs: cpuMs(cpuSecondsOf(service.pid ?? -1) - http),
    modelMs: cpuMs(cpuSecondsOf(worker) - model),
    clientsMs: cpuMs((user + system) / 1e6),
    batchMs: cpuMs(whole.cpu - loading.cpu),
  });
  write(
    `round ${round + 1}: ${served.toFixed(0)} served, ${batch.toFixed(0)} in a batch, p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms`,
  );
}
const of = (key: Measured) => median(results.map((each) => each[key]));
write(
  `${clients} clients, ${together} at once: ${of('served').toFixed(0)} questions/s, ${of('ratio').toFixed(3)} of the batch scorer's ` +
    `${of('batch').toFixed(0)}; p50 ${of('p50').toFixed(0)} ms, p99 ${of('p99').toFixed(0)} ms`,
);
write(
  `CPU a question: ${of('httpMs').toFixed(2)} ms of the service, ${of('modelMs').toFixed(2)} ms of its model, against ${of('batchMs').toFixed(2)} ms ` +
    `of the batch scorer with all its processes; the clients take ${of('clientsMs').toFixed(2)} ms more`,
);
agent.destroy();
service.kill('SIGTERM');

type Measured = 'served' | 'batch' | 'ratio' | 'p50' | 'p99' | 'httpMs' | 'modelMs' | 'clientsMs' | 'batchMs';

/** All bodies asked by the clients, and how long each waited, in order. */
async function load(all: readonly string[]): Promise<{ seconds: number; waits: number[] }> {
  const left = all.values();
  const waits: number[] = [];
  const started = performance.now();
  const client = async () => {
    for (const body of left) {
      const from = performance.now();
      await ask(body);
      waits.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: Number(clients) }, client));
  return { seconds: (performance.now() - started) / 1000, waits: waits.sort((a, b) => a - b) };
}

function ask(body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const options = { host: '127.0.0.1', port, path: '/v1/score', method: 'POST', agent, headers };
    const sent = request(options, (response) => {
      response.resume();
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`))));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The prompts scored by the batch scorer, with the CPU seconds of this process and the child, which has ended then. */
async function batchRun(count: number): Promise<{ seconds: number; cpu: number }> {
  const model = settings.modelOf(modelFile);
  const place = { kind: 'gguf', path: path.resolve(modelFile), bytes: statSync(modelFile).size } as const;
  const done: ScoredRow[] = [];
  const onRows = async (some: readonly ScoredRow[]) => void done.push(...some);
  const [started, before] = [performance.now(), cpuSecondsOfAll([])];
  const cores = availableParallelism();
  await scoreModels(
    [{ model, place, jobs: [{ dataset: 'd', prompts: prompts.slice(0, count), onRows }] }],
    { device: 'cpu', cores },
    {},
  );
  if (done.length !== count) throw new Error(`${done.length} of ${count} rows were scored`);
  return { seconds: (performance.now() - started) / 1000, cpu: cpuSecondsOfAll([]) - before };
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of stdout!) {
    text += chunk;
    if (text.includes('\n}')) break;
  }
  return JSON.parse(text).address;
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
