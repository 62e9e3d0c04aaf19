/**
 * Scores a demo model through a real llama-server and in this process, and compares every option logit; then measures
 * what the client costs with a server that answers at once.
 *
 *   npx tsx bench/served.ts LLAMA_SERVER MODEL.gguf [ROWS]      llama-server built as bench/peers.md says
 *   npx tsx bench/served.ts stub ROWS
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as portServer } from 'node:net';
import path from 'node:path';
import type { EndpointModel } from '../src/config/source-kind.js';
import type { ExamplePrompt } from '../src/contract/prompt.js';
import type { ScoredRow } from '../src/contract/scored-row.js';
import type { AnyModelJob, Scorer } from '../src/contract/scorer.js';
import { probeEndpoint } from '../src/scoring/endpoint/open-endpoint.js';
import { scoreEndpoints } from '../src/scoring/endpoint/score-endpoints.js';
import { scoreModels } from '../src/scoring/score-models.js';

const SETTINGS = { device: 'cpu', cores: 2 } as const;

/** A prompt whose texts are made when they are read: a million of them say what the client keeps, not the bench. */
class Pears implements ExamplePrompt {
  readonly mode = 'letter';
  readonly answerPrefix = null;

  constructor(private readonly i: number) {}

  get id(): string {
    return `q${this.i}`;
  }

  get text(): string {
    const [has, buys] = [11 + ((this.i * 7) % 60), 12 + ((this.i * 13) % 50)];
    return `Question: Anna has ${has} pears and buys ${buys} more. How many now?\nA. ${this.i}\nB. 40\nC. 50\nD. 60\nAnswer:`;
  }

  get continuations(): readonly string[] {
    return LETTERS;
  }
}

const LETTERS = ['A', 'B', 'C', 'D'];

function prompts(count: number): ExamplePrompt[] {
  return Array.from({ length: count }, (_, i) => new Pears(i));
}

function served(url: string, api: EndpointModel['endpoint']['api'], concurrency: number): EndpointModel {
  const endpoint = { url, model: 'served', api, concurrency, timeoutSeconds: 60 };
  return { id: 'served', role: 'base', bucket: 'b', prompt: 'raw', endpoint };
}

async function rowsOf(score: Scorer, job: Omit<AnyModelJob, 'jobs'>, asked: readonly ExamplePrompt[]) {
  const rows = new Map<string, ScoredRow>();
  const onRows = async (some: readonly ScoredRow[]) => {
    for (const row of some) rows.set(row.id, row);
  };
  const began = performance.now();
  const [outcome] = await score([{ ...job, jobs: [{ dataset: 'bench', prompts: asked, onRows }] }], SETTINGS, {});
  if (outcome?.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return { rows, seconds: (performance.now() - began) / 1000 };
}

async function compare(binary: string, model: string, count: number): Promise<void> {
  const asked = prompts(count);
  const place = { kind: 'gguf', path: model, bytes: statSync(model).size } as const;
  const spec = { id: 'file', role: 'base', bucket: 'b', prompt: 'raw', file: model } as const;
  const here = await rowsOf(scoreModels as unknown as Scorer, { model: spec, place }, asked);
  const port = await freePort();
  const child = spawn(
    binary,
    ['-m', model, '--port', String(port), '-np', '4', '-t', '1', '-fa', 'off', '--alias', 'served'],
    {
      stdio: 'ignore',
    },
  );
  try {
    const behind = served(`http://127.0.0.1:${port}`, 'llama-server', 8);
    await healthy(behind.endpoint.url, child);
    const there = await rowsOf(scoreEndpoints, { model: behind, place: await probeEndpoint(behind, {}) }, asked);
    print(`${count} questions, ${path.basename(model)}: ${difference(here.rows, there.rows)}`);
    print(
      `in process ${(count / here.seconds).toFixed(0)} rows/s with load, behind the server ${(count / there.seconds).toFixed(0)} rows/s`,
    );
  } finally {
    child.kill();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Raw logits and log-probabilities differ by ln Z, which is known here. */
function difference(here: ReadonlyMap<string, ScoredRow>, there: ReadonlyMap<string, ScoredRow>): string {
  let largest = 0;
  let options = 0;
  for (const [id, one] of here) {
    const other = there.get(id);
    if (one.status !== 'ok' || other?.status !== 'ok') throw new Error(`${id} has no score`);
    for (const [k, logit] of Array.from(one.logits).entries()) {
      largest = Math.max(largest, Math.abs(logit - one.logZ - (other.logits[k] ?? Number.NaN)));
      options++;
    }
  }
  return `largest difference of ${options} log-probabilities ${largest.toExponential(2)}`;
}

async function costOfClient(count: number): Promise<void> {
  const answer = JSON.stringify({
    choices: [
      { logprobs: { top_logprobs: [{ 'token_id:1': -1, 'token_id:2': -2, 'token_id:3': -3, 'token_id:4': -4 }] } },
    ],
    usage: { prompt_tokens: 40 },
    data: [{ id: 'served' }],
    version: '0',
  });
  const stub = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () =>
      response.end(request.url === '/tokenize' ? JSON.stringify({ tokens: tokensOf(body) }) : answer),
    );
  });
  await new Promise<void>((go) => stub.listen(0, '127.0.0.1', go));
  const model = served(`http://127.0.0.1:${(stub.address() as AddressInfo).port}`, 'vllm', 32);
  const asked = prompts(count);
  const place = await probeEndpoint(model, {});
  const peaks: number[] = [];
  const watch = setInterval(() => {
    const tenth = Math.min(9, Math.floor((10 * rows) / count));
    peaks[tenth] = Math.max(peaks[tenth] ?? 0, process.memoryUsage.rss());
  }, 200);
  const before = process.cpuUsage();
  const began = performance.now();
  let rows = 0;
  const onRows = async (some: readonly ScoredRow[]) => {
    rows += some.length;
  };
  const [outcome] = await scoreEndpoints(
    [{ model, place, jobs: [{ dataset: 'bench', prompts: asked, onRows }] }],
    SETTINGS,
    {},
  );
  clearInterval(watch);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  const perRow = (user + system) / rows;
  print(
    `${outcome?.kind}, ${rows} rows in ${seconds.toFixed(1)} s: ${(rows / seconds).toFixed(0)} rows/s, ${perRow.toFixed(0)} us of CPU a row (client and stub in one process), largest memory in each tenth ${peaks.map((bytes) => (bytes / 2 ** 20).toFixed(0)).join(' ')} MiB`,
  );
  stub.closeAllConnections();
  stub.close();
}

function tokensOf(body: string): number[] {
  const { prompt } = JSON.parse(body) as { prompt: string };
  const letter = / ([ABCD])$/.exec(prompt)?.[1];
  return letter === undefined ? [9] : [9, 'ABCD'.indexOf(letter) + 1];
}

async function freePort(): Promise<number> {
  const probe = portServer();
  await new Promise<void>((go) => probe.listen(0, '127.0.0.1', go));
  const { port } = probe.address() as AddressInfo;
  await new Promise((go) => probe.close(go));
  return port;
}

async function healthy(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error('llama-server ended');
    if ((await fetch(`${url}/health`).catch(() => null))?.ok) return;
    await new Promise((go) => setTimeout(go, 100));
  }
}

const [server, file, given] = process.argv.slice(2);
if (server === undefined || file === undefined) throw new Error('say a llama-server and a model, or stub and rows');
if (server === 'stub') await costOfClient(Number(file));
else await compare(server, path.resolve(file), Number(given ?? 200));
