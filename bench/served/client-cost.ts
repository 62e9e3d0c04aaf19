/**
 * What the client of served models costs.
 *
 *   npx tsx bench/served/client-cost.ts stub ROWS [vllm|llama-server]             a server that answers at once
 *   npx tsx bench/served/client-cost.ts LLAMA_SERVER MODEL.gguf [ROWS] [ROUNDS] [SHOTS]   a real one (bench/peers.md)
 *
 * The stub is a process of its own and speaks the interface of vLLM, or that of llama-server with answers as long as
 * its own; printed are rows and CPU seconds of client and stub, and the client's largest memory in each tenth of the
 * rows. With a real server, the client takes turns with the very requests that it sent, put by a bare loop, four
 * prompts at a time; printed are medians over rounds. Each prompt has SHOTS solved questions before its own.
 */
import { fork } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { request } from 'undici';
import type { EndpointModel } from '../../src/config/source-kind.js';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import { probeEndpoint } from '../../src/scoring/endpoint/open-endpoint.js';
import { scoreEndpoints } from '../../src/scoring/endpoint/score-endpoints.js';
import { cpuSecondsOf, median, write } from '../measure.js';
import { startLlamaServer } from './llama-server.js';
import { pears } from './pears.js';

const [what = '', second = '', third = '2000', rounds = '5', shots = '0'] = process.argv.slice(2);
if (what === 'answer') answerAtOnce();
else if (what === 'stub') await atOnce(Number(second), third === 'llama-server' ? third : 'vllm');
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

async function atOnce(count: number, api: 'vllm' | 'llama-server'): Promise<void> {
  const child = fork(import.meta.filename, ['answer'], { execArgv: process.execArgv });
  const port = await new Promise<number>((resolve) => child.once('message', (message) => resolve(Number(message))));
  const peaks: number[] = [];
  let rows = 0;
  const watch = setInterval(() => {
    const tenth = Math.min(9, Math.floor((10 * rows) / count));
    peaks[tenth] = Math.max(peaks[tenth] ?? 0, process.memoryUsage.rss());
  }, 200);
  const [own, stub] = [cpuSecondsOf(process.pid), cpuSecondsOf(child.pid ?? 0)];
  const seconds = await score(served(`http://127.0.0.1:${port}`, api, 32), pears(count), (some) => {
    rows += some;
  });
  clearInterval(watch);
  const [mine, theirs] = [cpuSecondsOf(process.pid) - own, cpuSecondsOf(child.pid ?? 0) - stub];
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
  const [whole, lean] = [completion(false), completion(true)];
  const tokens = Array.from({ length: 45 }, (_, n) => 1000 + 37 * n);
  const answerOf = (path: string | undefined, body: string): string => {
    if (path === '/completion') return body.includes('"response_fields"') ? lean : whole;
    if (path !== '/tokenize') return answer;
    const { prompt, content, add_special: start } = JSON.parse(body) as Record<string, string | boolean>;
    if (start === true) return JSON.stringify({ tokens });
    const letter = / ([ABCD])$/.exec(String(prompt ?? content))?.[1];
    return JSON.stringify({ tokens: letter === undefined ? [9] : [9, 'ABCD'.indexOf(letter) + 1] });
  };
  const server = createServer((asked, response) => {
    let body = '';
    asked.on('data', (chunk) => {
      body += chunk;
    });
    asked.on('end', () => response.end(answerOf(asked.url, body)));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

/** What llama-server b9995 answers, the fields that are asked for alone or all of them. */
function completion(lean: boolean): string {
  const candidate = (id: number) => ({ id, token: ' Training', bytes: [...Buffer.from(' Training')], logprob: -id });
  const first = { ...candidate(1), top_logprobs: Array.from({ length: 20 }, (_, n) => candidate(n + 1)) };
  const told = { tokens_evaluated: 45, completion_probabilities: [first] };
  const settings = Object.fromEntries(Array.from({ length: 45 }, (_, n) => [`a_setting_${n}`, 0.949999988079071]));
  return JSON.stringify(
    lean ? told : { content: ' A', generation_settings: settings, prompt: 'x'.repeat(160), ...told },
  );
}

async function real(binary: string, file: string, count: number): Promise<void> {
  const server = await startLlamaServer(binary, file);
  const model = served(server.url, 'llama-server', 4);
  const prompts = pears(count, Number(shots));
  try {
    const sent = await requestsOf(() => score(model, prompts, () => {}));
    const all: Round[] = [];
    for (let round = 0; round < Number(rounds); round++) {
      const ours = () => spent(server.pid, () => score(model, prompts, () => {}));
      const theirs = () => spent(server.pid, () => bare(server.url, sent));
      // Whoever is first has no advantage over all rounds.
      const [mine, other] = round % 2 === 0 ? [await ours(), await theirs()] : await inTurn(theirs, ours);
      all.push({ mine, other });
    }
    const of = (number: (round: Round) => number) => median(all.map(number));
    const requests = sent.flat().length;
    write(
      `${path.basename(file)}, ${count} rows, ${requests} requests, ${rounds} rounds, server ${((1000 * of(({ mine }) => mine.server)) / count).toFixed(0)} ms of CPU a row: ` +
        `client ${((1000 * of(({ mine }) => mine.client)) / count).toFixed(2)} ms, ${percent(of(({ mine }) => mine.client / mine.server))} of that ` +
        `(bare requests ${percent(of(({ other }) => other.client / other.server))}); beyond bare requests ` +
        `${percent(of(({ mine, other }) => mine.seconds / other.seconds - 1))} by the clock, server kept busy ` +
        `${of(({ mine }) => mine.server / mine.seconds).toFixed(2)} cores against ${of(({ other }) => other.server / other.seconds).toFixed(2)}`,
    );
  } finally {
    server.stop();
  }
}

interface Spent {
  readonly seconds: number;
  readonly client: number;
  readonly server: number;
}

interface Round {
  readonly mine: Spent;
  readonly other: Spent;
}

async function inTurn(first: () => Promise<Spent>, second: () => Promise<Spent>): Promise<[Spent, Spent]> {
  const one = await first();
  return [await second(), one];
}

/** What a pass takes by the clock, and in CPU seconds of this process and of the server. */
async function spent(pid: number, pass: () => Promise<number>): Promise<Spent> {
  const server = cpuSecondsOf(pid);
  const { user, system } = process.cpuUsage();
  const seconds = await pass();
  const used = process.cpuUsage();
  return { seconds, client: (used.user + used.system - user - system) / 1e6, server: cpuSecondsOf(pid) - server };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly body: string | null;
}

/** All requests that the client sends while something is done; those that belong to one prompt stay together. */
async function requestsOf(work: () => Promise<unknown>): Promise<Sent[][]> {
  const sent: Sent[] = [];
  const note = (message: unknown) => {
    const { path: where, method, body } = (message as { request: Omit<Sent, 'body'> & { body: unknown } }).request;
    sent.push({ path: where, method, body: body instanceof Uint8Array ? Buffer.from(body).toString() : null });
  };
  subscribe('undici:request:create', note);
  await work();
  unsubscribe('undici:request:create', note);
  const before = sent.filter(({ path: where }) => where !== '/completion');
  const byPrompt = new Map<string, Sent[]>();
  for (const each of sent) {
    if (each.path !== '/completion') continue;
    const prompt = JSON.stringify(JSON.parse(each.body ?? '').prompt);
    // Any of the small requests before it, since they cost alike.
    const chain = byPrompt.get(prompt) ?? before.splice(0, 1);
    byPrompt.set(prompt, chain);
    chain.push(each);
  }
  return [before, ...byPrompt.values()];
}

/** The requests once more, four prompts at a time, with nothing around them. */
async function bare(url: string, sent: readonly (readonly Sent[])[]): Promise<number> {
  const left = sent.values();
  const headers = { 'content-type': 'application/json' };
  const began = performance.now();
  const worker = async () => {
    for (const chain of left) {
      for (const { path: where, method, body } of chain) {
        const answer = await request(url + where, { method: method as 'GET' | 'POST', headers, body });
        await answer.body.json();
        if (answer.statusCode !== 200) throw new Error(`${where} answers ${answer.statusCode}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  return (performance.now() - began) / 1000;
}
