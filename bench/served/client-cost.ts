/**
 * What the client of served models costs.
 *
 *   npx tsx bench/served/client-cost.ts stub ROWS                              a server that answers at once
 *   npx tsx bench/served/client-cost.ts LLAMA_SERVER MODEL.gguf [ROWS] [ROUNDS]   a real one (bench/peers.md)
 *
 * The stub is a process of its own and speaks vLLM's interface; printed are rows and CPU seconds of client and stub,
 * and the client's largest memory in each tenth of the rows. With a real server, the client takes turns with the very
 * requests that it sent, put by a bare loop, four at a time: overhead is what the client's rows take beyond that, by
 * the clock and in CPU seconds of client and server together, median over rounds.
 */
import { fork } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { request } from 'undici';
import type { EndpointModel } from '../../src/config/source-kind.js';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import { probeEndpoint } from '../../src/scoring/endpoint/open-endpoint.js';
import { scoreEndpoints } from '../../src/scoring/endpoint/score-endpoints.js';
import { median, write } from '../measure.js';
import { startLlamaServer } from './llama-server.js';
import { pears } from './pears.js';

const [what = '', second = '', third = '2000', rounds = '5'] = process.argv.slice(2);
if (what === 'answer') answerAtOnce();
else if (what === 'stub') await atOnce(Number(second));
else await real(what, second, Number(third));

function served(url: string, api: EndpointModel['endpoint']['api'], concurrency: number): EndpointModel {
  const endpoint = { url, model: 'served', api, concurrency, timeoutSeconds: 60 };
  return { id: 'served', role: 'base', bucket: 'b', prompt: 'raw', endpoint };
}

/** Scores the rows and counts them as they come. */
async function score(model: EndpointModel, prompts: readonly ExamplePrompt[], onCount: (rows: number) => void) {
  const place = await probeEndpoint(model, {});
  const onRows = async (some: readonly unknown[]) => onCount(some.length);
  const jobs = [{ dataset: 'bench', prompts, onRows }];
  const began = performance.now();
  const [outcome] = await scoreEndpoints([{ model, place, jobs }], { device: 'cpu', cores: 2 }, {});
  if (outcome?.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return (performance.now() - began) / 1000;
}

async function atOnce(count: number): Promise<void> {
  const child = fork(import.meta.filename, ['answer'], { execArgv: process.execArgv });
  const port = await new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message))));
  const peaks: number[] = [];
  let rows = 0;
  const watch = setInterval(() => {
    const tenth = Math.min(9, Math.floor((10 * rows) / count));
    peaks[tenth] = Math.max(peaks[tenth] ?? 0, process.memoryUsage.rss());
  }, 200);
  const [own, stub] = [cpuOf(process.pid), cpuOf(child.pid ?? 0)];
  const seconds = await score(served(`http://127.0.0.1:${port}`, 'vllm', 32), pears(count), (some) => {
    rows += some;
  });
  clearInterval(watch);
  const [mine, theirs] = [cpuOf(process.pid) - own, cpuOf(child.pid ?? 0) - stub];
  write(
    `${rows} rows in ${seconds.toFixed(1)} s: ${(rows / seconds).toFixed(0)} rows/s; CPU a row: client ${((mine / rows) * 1e6).toFixed(0)} us ` +
      `(${(rows / mine).toFixed(0)} rows a CPU second), stub ${((theirs / rows) * 1e6).toFixed(0)} us`,
  );
  write(
    `largest memory of the client in each tenth: ${peaks.map((bytes) => (bytes / 2 ** 20).toFixed(0)).join(' ')} MiB`,
  );
  child.kill();
}

/** The stub: says its port to its parent, then answers everything at once. */
function answerAtOnce(): void {
  const top = { 'token_id:1': -1, 'token_id:2': -2, 'token_id:3': -3, 'token_id:4': -4 };
  const answer = JSON.stringify({
    choices: [{ logprobs: { top_logprobs: [top] } }],
    usage: { prompt_tokens: 40 },
    data: [{ id: 'served' }],
    version: '0',
  });
  const tokensOf = (body: string): number[] => {
    const { prompt } = JSON.parse(body) as { prompt: string };
    const letter = / ([ABCD])$/.exec(prompt)?.[1];
    return letter === undefined ? [9] : [9, 'ABCD'.indexOf(letter) + 1];
  };
  const server = createServer((asked, response) => {
    let body = '';
    asked.on('data', (chunk) => {
      body += chunk;
    });
    asked.on('end', () =>
      response.end(asked.url === '/tokenize' ? JSON.stringify({ tokens: tokensOf(body) }) : answer),
    );
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

async function real(binary: string, file: string, count: number): Promise<void> {
  const server = await startLlamaServer(binary, file);
  const model = served(server.url, 'llama-server', 4);
  const prompts = pears(count);
  const cpu = () => cpuOf(process.pid) + cpuOf(server.pid);
  try {
    const clock: number[] = [];
    const spent: number[] = [];
    let share = 0;
    const sent = await requestsOf(() => score(model, prompts, () => {}));
    for (let round = 0; round < Number(rounds); round++) {
      const [before, own] = [cpu(), cpuOf(process.pid)];
      const mine = await score(model, prompts, () => {});
      const [middle, client] = [cpu(), cpuOf(process.pid) - own];
      const theirs = await bare(server.url, sent);
      clock.push(mine / theirs - 1);
      spent.push((middle - before) / (cpu() - middle) - 1);
      share = client / (middle - before);
    }
    write(
      `${path.basename(file)}, ${count} rows, ${sent.length} requests, ${rounds} rounds: beyond bare requests ${percent(median(clock))} by the clock, ` +
        `${percent(median(spent))} of CPU time; the client takes ${percent(share)} of the CPU time of both`,
    );
  } finally {
    server.stop();
  }
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly body: string | null;
}

/** All requests that the client sends while something is done. */
async function requestsOf(work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const note = (message: unknown) => {
    const { path: where, method, body } = (message as { request: Omit<Sent, 'body'> & { body: unknown } }).request;
    sent.push({ path: where, method, body: body instanceof Uint8Array ? Buffer.from(body).toString() : null });
  };
  subscribe('undici:request:create', note);
  await work();
  unsubscribe('undici:request:create', note);
  return sent;
}

/** The requests once more, four at a time, with nothing around them. */
async function bare(url: string, sent: readonly Sent[]): Promise<number> {
  const left = sent.values();
  const headers = { 'content-type': 'application/json' };
  const began = performance.now();
  const worker = async () => {
    for (const { path: where, method, body } of left) {
      const answer = await request(url + where, { method: method as 'GET' | 'POST', headers, body });
      await answer.body.json();
      if (answer.statusCode !== 200) throw new Error(`${where} answers ${answer.statusCode}`);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return (performance.now() - began) / 1000;
}

/** CPU seconds of a process, user and system (Linux). */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) / 100;
}
