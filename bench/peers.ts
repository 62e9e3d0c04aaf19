/**
 * Questions per second of SupportCal and of llama.cpp's own tools: one GGUF, the same questions, one thread each.
 *
 *   npx tsx bench/peers.ts BIN_FOLDER [MODEL.gguf] [questions=1560] [rounds=5] [PYTHON]
 *
 * BIN_FOLDER holds llama-perplexity and llama-server (bench/peers.md builds them from the release inside
 * node-llama-cpp). PYTHON is an interpreter with lm-eval and llama-cpp-python[server]; without it they are left out.
 * Tools that load the model on every start are run with few and with many questions, and the difference of their times
 * counts; servers are asked after their start, every time something new. All take turns; medians over rounds. CPU
 * seconds (Linux) count both sides of a tool, client and server; other load hardly moves them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { scoreModels } from '../src/scoring/score-models.js';
import { cpuSecondsOfAll, median, write } from './measure.js';
import { startHarness } from './peer-harness.js';
import { multipleChoiceFile, type Question, readQuestions } from './peer-questions.js';

const [folder, path = 'models/demo/tern-base.gguf', count = '1560', roundCount = '5', python] = process.argv.slice(2);
if (folder === undefined)
  throw new Error('usage: npx tsx bench/peers.ts BIN_FOLDER [MODEL.gguf] [questions] [rounds] [PYTHON]');
const bin = resolve(folder);
const modelPath = resolve(path);
const FEW = 40;
const questions = readQuestions(Number(count) + FEW);
const few = questions.slice(0, FEW);
const many = questions.slice(0, Number(count) + FEW);
const scratch = mkdtempSync(join(tmpdir(), 'peers-'));
const ours = new Map<string, readonly number[]>();
const theirs = new Map<string, readonly number[]>();

let place = 0;
let peerAccuracy = '';
const serial = await startServer(8091, 1);
const parallel = await startServer(8092, 8);
const harness = python === undefined ? null : await startHarness(resolve(python), modelPath, many, scratch);
let harnessAccuracy = Number.NaN;
interface Rate {
  /** Questions per second by the clock, and per CPU second. */
  readonly clock: number;
  readonly cpu: number;
}

const ways: Record<string, () => Promise<Rate>> = {
  'SupportCal, letter mode': () => started(throughSupportCal),
  'llama-perplexity --multiple-choice': () => started(throughPerplexity),
  'llama-server, a request per option': () => served(serial, perOption),
  'llama-server -np 8, a request per option, 8 at once': () => served(parallel, perOption),
  'llama-server -np 8, one request for the top 40 tokens, 8 at once': () => served(parallel, perQuestion),
  ...(harness !== null && {
    'lm-evaluation-harness with llama-cpp-python, a request per option': () => started(throughHarness, 200 + FEW),
  }),
};
const rates = new Map(Object.keys(ways).map((name) => [name, [] as Rate[]]));
for (let round = 0; round < Number(roundCount); round++) {
  for (const [name, way] of Object.entries(ways)) rates.get(name)!.push(await way());
}
write(`| ${path}, one thread | questions per CPU second | SupportCal is faster by | questions/s by the clock |`);
write('|---|---:|---:|---:|');
const own = cpuRate(rates.get('SupportCal, letter mode')!);
for (const [name, values] of rates) {
  const clock = median(values.map((each) => each.clock)).toFixed(1);
  write(`| ${name} | ${cpuRate(values).toFixed(1)} | ${(own / cpuRate(values)).toFixed(2)} | ${clock} |`);
}
write(`\nAccuracy on ${many.length} questions: SupportCal ${accuracy()} %, llama-perplexity ${peerAccuracy} %`);
write(`Largest difference of an option's log-probability from llama-server's: ${worst().toExponential(1)}`);
if (harness !== null) write(`Accuracy of lm-evaluation-harness on the first ${200 + FEW}: ${harnessAccuracy}`);
for (const server of [serial, parallel, harness]) server?.stop();
rmSync(scratch, { recursive: true });

function cpuRate(values: readonly Rate[]): number {
  return median(values.map((each) => each.cpu));
}

async function timed(work: () => Promise<void>): Promise<{ clock: number; cpu: number }> {
  const living = [serial, parallel, ...(harness === null ? [] : [harness])].map(({ pid }) => pid);
  const [clock, cpu] = [performance.now(), cpuSecondsOfAll(living)];
  await work();
  return { clock: (performance.now() - clock) / 1000, cpu: cpuSecondsOfAll(living) - cpu };
}

/** For a tool that loads the model on every start. */
async function started(run: (asked: readonly Question[]) => Promise<void>, most = many.length): Promise<Rate> {
  const asked = many.slice(0, most);
  const short = await timed(() => run(few));
  const long = await timed(() => run(asked));
  const rows = asked.length - few.length;
  return { clock: rows / (long.clock - short.clock), cpu: rows / (long.cpu - short.cpu) };
}

async function throughSupportCal(asked: readonly Question[]): Promise<void> {
  const prompts = asked.map(({ id, prompt, labels }) => ({
    id,
    text: prompt,
    mode: 'letter' as const,
    continuations: labels,
    answerPrefix: null,
  }));
  const job = {
    model: { id: 'model', role: 'base' as const, bucket: 'bench', prompt: 'raw' as const },
    place: { kind: 'gguf' as const, path: modelPath, bytes: statSync(modelPath).size },
    jobs: [
      {
        dataset: 'questions',
        prompts,
        onRows: async (rows: Parameters<Parameters<typeof scoreModels>[0][0]['jobs'][0]['onRows']>[0]) => {
          for (const row of rows) {
            if (row.status !== 'ok') throw new Error(row.reason);
            ours.set(
              row.id,
              Array.from(row.logits, (logit) => logit - row.logZ),
            );
          }
        },
      },
    ],
  };
  const [outcome] = await scoreModels([job], { device: 'cpu', cores: 1 }, {});
  if (outcome?.kind === 'failed') throw new Error(outcome.reason);
}

async function throughPerplexity(asked: readonly Question[]): Promise<void> {
  const file = join(scratch, `${asked.length}.bin`);
  writeFileSync(file, multipleChoiceFile(asked));
  const sizes = ['-c', '2048', '-b', '2048', '-ub', '2048', '-np', '64', '-t', '1', '-tb', '1', '-fa', 'off'];
  const args = ['-m', modelPath, '-bf', file, '--multiple-choice', '--multiple-choice-tasks', '0', ...sizes];
  const command = `exec "$0" "$@" 2>&1`;
  const output = execFileSync('bash', ['-c', command, join(bin, 'llama-perplexity'), ...args], { maxBuffer: 2 ** 28 });
  peerAccuracy = /Final result: ([\d.]+)/.exec(output.toString())?.[1] ?? 'unknown';
}

async function throughHarness(asked: readonly Question[]): Promise<void> {
  harnessAccuracy = harness!.run(asked.length);
}

interface Server {
  readonly url: string;
  readonly slots: number;
  readonly pid: number;
  stop(): void;
}

async function startServer(port: number, slots: number): Promise<Server> {
  const context = String(512 * slots);
  const sizes = ['-c', context, '-np', String(slots), '-b', '2048', '-ub', '2048', '-t', '1', '-tb', '1', '-fa', 'off'];
  const args = ['-m', modelPath, '--cache-ram', '0', '--host', '127.0.0.1', '--port', String(port), ...sizes];
  const child = spawn(join(bin, 'llama-server'), args, { stdio: 'ignore' });
  process.on('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 150; tries++) {
    const answer = await fetch(`${url}/health`).catch(() => null);
    if (answer?.ok) return { url, slots, pid: child.pid!, stop: () => child.kill('SIGKILL') };
    await new Promise((wake) => setTimeout(wake, 200));
  }
  throw new Error('llama-server did not start');
}

type Ask = (url: string, question: Question) => Promise<void>;

/** Asks a running server, as many at a time as it has slots; every call takes the questions after those of the last. */
async function served({ url, slots }: Server, ask: Ask): Promise<Rate> {
  const amount = Math.min(240, many.length);
  const queue = Array.from({ length: amount }, (_, n) => many[(place + n) % many.length]!);
  place += amount;
  const client = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await ask(url, next);
  };
  const spent = await timed(async () => {
    await Promise.all(Array.from({ length: slots }, client));
  });
  return { clock: amount / spent.clock, cpu: amount / spent.cpu };
}

async function perOption(url: string, question: Question): Promise<void> {
  const scores: number[] = [];
  for (const label of question.labels) {
    const [token] = await post<{ completion_probabilities: { logprob: number }[] }>(`${url}/completion`, {
      prompt: question.prompt,
      n_predict: 1,
      n_probs: 1,
      temperature: 0,
      grammar: `root ::= " ${label}"`,
    }).then((answer) => answer.completion_probabilities);
    scores.push(token!.logprob);
  }
  theirs.set(question.id, scores);
}

async function perQuestion(url: string, { prompt }: Question): Promise<void> {
  await post(`${url}/completion`, { prompt, n_predict: 1, n_probs: 40, temperature: 0, cache_prompt: false });
}

async function post<Answer>(url: string, body: object): Promise<Answer> {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Answer;
}

function worst(): number {
  const differences = [...theirs].flatMap(([id, scores]) =>
    scores.map((score, k) => Math.abs(score - (ours.get(id)?.[k] ?? Number.NaN))),
  );
  return Math.max(...differences);
}

function accuracy(): string {
  const right = many.filter(({ id, label }) => {
    const scores = ours.get(id)!;
    return scores.indexOf(Math.max(...scores)) === label;
  });
  return ((100 * right.length) / many.length).toFixed(4);
}
