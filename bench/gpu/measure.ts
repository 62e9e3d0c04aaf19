/**
 * What one model file does on one card, case by case, through the same code that a worker runs.
 *
 *   npx tsx bench/gpu/measure.ts MODEL.gguf BACKEND CASE...       (or bundled: see make-kit.sh)
 *
 * A case is `kind:name=number,...`; every number has a default:
 *
 *   letter:length=200,batch=2048,contexts=2,rows=192,spread=0   option logits of four letters after each prompt
 *   bare:...                    the same batches decoded, nothing read (two models share the card's memory then)
 *   shared:prefix=800,length=100,...    a beginning that is kept, against evaluating it again
 *   text:length=200,options=4,words=8,contexts=4,...    whole texts: log-probabilities of every token of each option
 *   cape:length=200,stem=90,orders=4,plain=0,...    the orders after the first, the stem evaluated once; `plain=1`: all
 *                               orders, the first as the plain prompt, whose stem is kept for the others (tokens are
 *                               then those evaluated); of text and cape `fill=0`: only as many prompts at a time as one
 *                               pass holds
 *   free:length=200,words=32,sequences=64,topk=-1,contexts=1,rows=128   one free reply at temperature 0.7 per prompt;
 *                               topk=0: as written until now (the whole vocabulary sorted), topk=-1: no top-k sampler
 *   child:rows=2048             the whole way through a child process, load excluded
 *   memory:length=255,sequences=64,contexts=2    what is planned, and what nvidia-smi says is taken, step by step
 *
 * `spread`: lengths differ by as much either way. A line per case: tokens of prompts (written tokens for `free`) per
 * second, the best and the median of `rounds` (3) after one that is not counted, and examples per second. Processes
 * that share a card start their rounds together when BARRIER names a folder and PROCESSES says how many they are.
 * PHASES=1 says of each case how long passes took, how many there were, and how long at least one reading of logits was
 * under way, and how much processor time the main thread and all others took. SAMPLERS=new: the library makes a sampler
 * for every call, as it does by itself. AT_ONCE=8 (with PHASES=1): a context hands the pool so many readings at a time.
 * THREADS=N: of a context, in place of those that the product gives it, which also draw free text. ROWS=FOLDER keeps
 * the log-probabilities of the letters and texts of a case in a file there, or says how far they are from those of the
 * file that is there already.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import {
  GgufInsights,
  getLlama,
  Llama,
  LlamaContext,
  LlamaContextSequence,
  LlamaLogLevel,
  readGgufFileInfo,
  type Token,
} from 'node-llama-cpp';
import type { Device } from '../../src/contract/device.js';
import type { ModelFacts } from '../../src/contract/scorer.js';
import { backend } from '../../src/engine/llama/llama-backend.js';
import type { Evaluation, EvaluationContext, LoadedModel, TextEvaluation } from '../../src/engine/protocol/backend.js';
import { planWaves } from '../../src/engine/rows/plan-waves.js';
import { threadsBesideCard } from '../../src/scoring/memory/worker-plan.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { decodeBare } from '../bare-decode.js';
import { demoPrompts } from '../demo-prompts.js';
import { median, write } from '../measure.js';
import { threadTimes } from './thread-times.js';

interface Work {
  readonly tokens: number;
  readonly examples: number;
  readonly run: () => Promise<void>;
}

const [path = '', device = 'cuda', ...cases] = process.argv.slice(2);
const modelPath = resolve(path);
const gpu = device === 'cpu' ? false : (device as Exclude<ModelFacts['backend'], 'cpu' | 'endpoint'>);
const threads = Number(process.env.THREADS ?? (gpu === false ? cpus().length : threadsBesideCard(cpus().length)));
const ROUNDS = Number(process.env.ROUNDS ?? '3');
const WORDS = Number(process.env.WORDS ?? '100000');

let loaded: LoadedModel | undefined;
const opened = new Map<string, EvaluationContext[]>();
if (process.env.SAMPLERS === 'new') makeSamplers();
const phases = process.env.PHASES === '1' ? watchPhases() : null;
const found = new Map<number, readonly (number | null)[]>();
let barriers = 0;
let seed = 1;

for (const text of cases) {
  const [kind = '', list = ''] = text.split(':');
  const settings = new Map(list.split(',').map((pair) => pair.split('=') as [string, string]));
  const number = (name: string, otherwise: number) => Number(settings.get(name) ?? otherwise);
  // A case has the same tokens whichever stand before it.
  seed = 1;
  try {
    const made = KINDS()[kind];
    if (made === undefined) throw new Error(`no such case: ${kind}`);
    for (const [name, work] of Object.entries(await made(number))) await report(`${text} ${name}`, work);
  } catch (error) {
    write(`${text}: FAILED ${error instanceof Error ? error.message : String(error)}`);
  }
}
await loaded?.close();
await backend.shutdown();

type Numbers = (name: string, otherwise: number) => number;

function KINDS(): Record<string, (number: Numbers) => Promise<Record<string, Work>>> {
  return { letter, bare, shared, text: texts, cape, free, child, memory };
}

async function report(name: string, { tokens, examples, run }: Work): Promise<void> {
  const seconds: number[] = [];
  found.clear();
  for (let round = 0; round <= ROUNDS; round++) {
    await barrier();
    phases?.reset();
    const spent = threadTimes();
    const started = performance.now();
    await run();
    if (round > 0) seconds.push((performance.now() - started) / 1000);
    if (phases !== null && round === ROUNDS)
      write(`  last round, ${seconds.at(-1)!.toFixed(2)} s: ${phases.said()}; ${spent()}`);
  }
  if (process.env.ROWS !== undefined && found.size > 0) compareRows(process.env.ROWS, name);
  const rate = (amount: number, time: number) => (amount / time).toFixed(amount / time < 100 ? 1 : 0);
  const [best, middle] = [Math.min(...seconds), median(seconds)];
  write(
    `${name.padEnd(64)} ${rate(tokens, best)} tokens/s best, ${rate(tokens, middle)} median, ${rate(examples, best)} examples/s`,
  );
}

/** Keeps what the rows of a case came to, or says how far it is from what is kept. */
function compareRows(folder: string, name: string): void {
  const file = join(folder, `${name.replaceAll(/[^\w=-]+/g, '-')}.json`);
  const rows = [...found.keys()].sort((a, b) => a - b).map((n) => found.get(n) ?? []);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, JSON.stringify(rows));
    return;
  }
  const kept = (JSON.parse(readFileSync(file, 'utf8')) as typeof rows).flat();
  const now = rows.flat();
  const far = now.map((value, n) => Math.abs((value ?? Number.NaN) - (kept[n] ?? Number.NaN)));
  const most = far.reduce((greatest, each) => Math.max(each, greatest), 0);
  write(`  ${now.length} log-probabilities (${kept.length} kept): ${most.toExponential(2)} apart at most`);
}

/** Log-probabilities of a row, for comparison. */
function noteRow(row: number, evaluation: Evaluation | TextEvaluation | undefined): void {
  if (evaluation?.kind === 'logits') {
    const { logits, maxLogit, totalWeight } = evaluation;
    const total = maxLogit + Math.log(totalWeight);
    found.set(
      row,
      logits.map((logit) => (logit ?? Number.NaN) - total),
    );
  } else if (evaluation?.kind === 'logProbs')
    found.set(
      row,
      evaluation.logProbs.flat().map((each) => each ?? null),
    );
}

interface NativeContext {
  decodeBatch(): Promise<void>;
  sampleToken(...all: unknown[]): Promise<unknown>;
}

/**
 * Clocks around the two native calls of a context, which the library keeps to itself: for looking, not for a product.
 */
function watchPhases() {
  const watched = new WeakSet<object>();
  const clock = () => ({ calls: 0, under: 0, since: 0, time: 0, sum: 0 });
  let [passes, readings] = [clock(), clock()];
  const around = async <T>(which: () => ReturnType<typeof clock>, call: () => Promise<T>): Promise<T> => {
    const [each, started] = [which(), performance.now()];
    each.calls++;
    if (each.under++ === 0) each.since = started;
    try {
      return await call();
    } finally {
      const now = performance.now();
      each.sum += now - started;
      if (--each.under === 0) each.time += now - each.since;
    }
  };
  const dispatch = LlamaContext.prototype.dispatchPendingBatch;
  LlamaContext.prototype.dispatchPendingBatch = function (this: LlamaContext) {
    const owner = this as unknown as { _ctx: NativeContext };
    if (!watched.has(owner)) {
      watched.add(owner);
      const native = owner._ctx;
      const gate = limiter(Number(process.env.AT_ONCE ?? 'Infinity'));
      const { decodeBatch, sampleToken } = native;
      const clocked: NativeContext = {
        decodeBatch: () =>
          around(
            () => passes,
            () => decodeBatch.call(native),
          ),
        sampleToken: (...all) =>
          around(
            () => readings,
            () => gate(() => sampleToken.apply(native, all)),
          ),
      };
      // The object itself stays: our own reader looks into it.
      for (const [name, value] of Object.entries(clocked))
        Object.defineProperty(native, name, { value, writable: true, configurable: true });
    }
    dispatch.call(this);
  };
  const said = (name: string, { calls, time, sum }: ReturnType<typeof clock>) =>
    `${calls} ${name} of ${(sum / Math.max(1, calls)).toFixed(2)} ms each, at least one under way for ${(time / 1000).toFixed(2)} s`;
  return {
    reset: () => {
      [passes, readings] = [clock(), clock()];
    },
    said: () => `${said('passes', passes)}; ${said('readings', readings)}`,
  };
}

/** Lets so many calls be under way at a time. */
function limiter(most: number): <T>(call: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (call) => {
    if (underWay < most) underWay++;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await call();
    } finally {
      // The next one takes this one's place.
      const begin = waiting.shift();
      if (begin === undefined) underWay--;
      else begin();
    }
  };
}

/** Takes back what the backend does to the library's samplers, for comparison. */
function makeSamplers(): void {
  interface Bindings {
    AddonSampler: { readonly prototype: { readonly constructor: unknown } };
  }
  const { loadModel } = Llama.prototype;
  Llama.prototype.loadModel = function (...all) {
    const { _bindings: bindings } = this as unknown as { readonly _bindings: Bindings };
    bindings.AddonSampler = bindings.AddonSampler.prototype.constructor as Bindings['AddonSampler'];
    return loadModel.apply(this, all);
  };
}

/** Resolves when every process that shares the card has come here. */
async function barrier(): Promise<void> {
  const { BARRIER: folder, PROCESSES: count = '1' } = process.env;
  if (folder === undefined) return;
  const here = join(folder, String(barriers++));
  mkdirSync(here, { recursive: true });
  writeFileSync(join(here, String(process.pid)), '');
  while (readdirSync(here).length < Number(count)) await new Promise((go) => setTimeout(go, 2));
}

async function model(): Promise<LoadedModel> {
  loaded ??= await backend.load({ modelPath, device: device as Device, threads, onLog: () => {} });
  return loaded;
}

async function contextsOf(count: number, contextSize: number, sequences: number, batchSize: number) {
  const key = [contextSize, sequences, batchSize].join();
  const list = opened.get(key) ?? [];
  opened.set(key, list);
  const request = { contextSize, sequences, batchSize, threads, flashAttention: 'auto' as const };
  while (list.length < count) list.push(await (await model()).openContext(request));
  return list.slice(0, count);
}

/** Numbers that look like words of a vocabulary, the same in every run. */
function word(): Token {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return (Math.min(1000, WORDS) + (seed % WORDS)) as Token;
}

function words(count: number): Token[] {
  return Array.from({ length: count }, word);
}

function promptsOf(number: Numbers): Token[][] {
  const [length, spread] = [number('length', 200), number('spread', 0)];
  return Array.from({ length: number('rows', 192) }, (_, n) =>
    words(length + (spread === 0 ? 0 : (n % (2 * spread + 1)) - spread)),
  );
}

/** Every context takes the next batch when it is free. */
async function inTurns<C, W>(each: readonly C[], waves: readonly W[], work: (context: C, wave: W) => Promise<void>) {
  let next = 0;
  await Promise.all(
    each.map(async (context) => {
      while (next < waves.length) await work(context, waves[next++]!);
    }),
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function plan(lengths: readonly number[], number: Numbers, extra = 0) {
  const batch = number('batch', 2048);
  const longest = Math.max(...lengths);
  const sequences = Math.min(number('sequences', 64), Math.max(2, Math.floor(batch / (longest + extra))));
  return { batch, longest, sequences, waves: planWaves(lengths, sequences, batch) };
}

/** Prompts with branches fill all sequences, as the product plans them; `fill=0`: only what one pass holds. */
function filled(lengths: readonly number[], number: Numbers) {
  if (number('fill', 1) === 0) return plan(lengths, number);
  const [batch, sequences, longest] = [number('batch', 2048), number('sequences', 64), Math.max(...lengths)];
  return { batch, longest, sequences, waves: planWaves(lengths, sequences, Number.POSITIVE_INFINITY) };
}

async function letter(number: Numbers): Promise<Record<string, Work>> {
  const prompts = promptsOf(number);
  const lengths = prompts.map((prompt) => prompt.length);
  const { batch, longest, sequences, waves } = plan(lengths, number);
  const contexts = await contextsOf(number('contexts', 2), longest + 1, sequences, batch);
  const rows = prompts.map((tokens) => ({ tokens, optionIds: [32, 33, 34, 35] }));
  const run = () =>
    inTurns(contexts, waves, async (context, wave) => {
      const evaluations = await context.evaluate(wave.map((n) => rows[n]!));
      sound(evaluations);
      for (const [at, n] of wave.entries()) noteRow(n, evaluations[at]);
    });
  return { '': { tokens: sum(lengths), examples: rows.length, run } };
}

function sound(evaluations: ReadonlyArray<{ readonly kind: string }>): void {
  if (evaluations.some(({ kind }) => kind === 'error')) throw new Error('a prompt could not be evaluated');
}

async function bare(number: Numbers): Promise<Record<string, Work>> {
  const prompts = promptsOf(number);
  const lengths = prompts.map((prompt) => prompt.length);
  const { batch, longest, sequences, waves } = plan(lengths, number);
  const llama = await getLlama({ gpu, build: 'never', logLevel: LlamaLogLevel.error });
  const second = await llama.loadModel({ modelPath });
  const contexts: LlamaContextSequence[][] = [];
  for (let n = 0; n < number('contexts', 2); n++) {
    const settings = { contextSize: longest + 1, sequences, batchSize: batch, flashAttention: 'auto' as const };
    const context = await second.createContext({ ...settings, threads, swaFullCache: true });
    contexts.push(Array.from({ length: sequences }, () => context.getSequence()));
  }
  const run = () =>
    inTurns(contexts, waves, (each, wave) =>
      decodeBare(
        each,
        wave.map((n) => ({ tokens: prompts[n]! })),
      ),
    );
  return { '': { tokens: sum(lengths), examples: prompts.length, run } };
}

async function shared(number: Numbers): Promise<Record<string, Work>> {
  const [prefix, length, rows] = [number('prefix', 800), number('length', 100), number('rows', 512)];
  const beginning = words(prefix);
  const prompts = Array.from({ length: rows }, () => ({
    tokens: [...beginning, ...words(length)],
    optionIds: [32, 33],
  }));
  const batch = number('batch', 2048);
  const kept = Math.min(number('sequences', 64), Math.floor(batch / length));
  const way = async (from: readonly Token[], asked: typeof prompts, lengths: number, sequences: number) => {
    const contexts = await contextsOf(number('contexts', 2), prefix + length + 1, sequences, batch);
    const waves = planWaves(Array<number>(asked.length).fill(lengths), sequences, batch);
    // A run begins with sequences that hold nothing: another array is another beginning.
    return () => {
      const fresh = [...from];
      return inTurns(contexts, waves, async (context, wave) => {
        sound(
          await context.evaluate(
            wave.map((n) => asked[n]!),
            fresh,
          ),
        );
      });
    };
  };
  const fewer = prompts.slice(0, Math.max(16, rows >> 3));
  return {
    kept: { tokens: rows * length, examples: rows, run: await way(beginning, prompts, length, kept) },
    again: {
      tokens: fewer.length * (prefix + length),
      examples: fewer.length,
      run: await way([], fewer, prefix + length, Math.max(2, Math.floor(batch / (prefix + length)))),
    },
  };
}

async function texts(number: Numbers): Promise<Record<string, Work>> {
  const [options, count] = [number('options', 4), number('words', 8)];
  const rows = promptsOf(number).map((tokens) => ({
    tokens,
    continuations: Array.from({ length: options }, (_, k) => [(300 + k) as Token, ...words(count - 1)]),
  }));
  const lengths = rows.map(({ tokens }) => tokens.length + count - 1);
  const { batch, longest, sequences, waves } = filled(lengths, number);
  const contexts = await contextsOf(number('contexts', 4), longest + 1, sequences, batch);
  const run = () =>
    inTurns(contexts, waves, async (context, wave) => {
      const evaluations = await context.evaluateTexts(wave.map((n) => rows[n]!));
      sound(evaluations);
      for (const [at, n] of wave.entries()) noteRow(n, evaluations[at]);
    });
  return { '': { tokens: sum(rows.map(({ tokens }) => tokens.length)), examples: rows.length, run } };
}

async function cape(number: Numbers): Promise<Record<string, Work>> {
  const [stem, orders] = [number('stem', 90), number('orders', 4)];
  const tail = number('length', 200) - stem;
  const plain = number('plain', 0) === 1;
  const rows = promptsOf(number).map((tokens) => ({
    tokens: tokens.slice(0, stem),
    tails: Array.from({ length: plain ? orders : orders - 1 }, () => ({
      tokens: words(tail),
      optionIds: [32, 33, 34, 35],
    })),
  }));
  const lengths = rows.map(() => stem + tail);
  const { batch, longest, sequences, waves } = filled(lengths, number);
  const contexts = await contextsOf(number('contexts', 2), longest + 1, sequences, batch);
  const run = () =>
    inTurns(contexts, waves, async (context, wave) => {
      sound(await context.evaluateTails(wave.map((n) => rows[n]!)));
    });
  const evaluated = rows.length * (stem + tail * (rows[0]?.tails.length ?? 0));
  return { '': { tokens: plain ? evaluated : sum(lengths), examples: rows.length, run } };
}

async function free(number: Numbers): Promise<Record<string, Work>> {
  const [limit, sequences, batch] = [number('words', 32), number('sequences', 64), number('batch', 2048)];
  const prompts = promptsOf(number);
  const longest = Math.max(...prompts.map(({ length }) => length));
  const contexts = await contextsOf(number('contexts', 1), longest + limit + 1, sequences, batch);
  const waves = Array.from({ length: Math.ceil(prompts.length / sequences) }, (_, n) =>
    prompts.slice(n * sequences, (n + 1) * sequences),
  );
  const evaluate = LlamaContextSequence.prototype.evaluate;
  const topK = number('topk', -1);
  const drawn: typeof evaluate = function (this: LlamaContextSequence, tokens, options) {
    return evaluate.call(this, tokens, { ...options, topK: topK < 0 ? (null as unknown as number) : topK });
  };
  const run = (asked: number) => async () => {
    LlamaContextSequence.prototype.evaluate = drawn;
    await inTurns(contexts, waves, async (context, wave) => {
      const samples = [{ seed: 1, temperature: 0.7 }];
      const found = await context.generate(wave.map((tokens) => ({ tokens, samples, maxTokens: asked, form: null })));
      for (const [reply] of found) {
        if (reply?.kind !== 'text') throw new Error('a reply could not be written');
      }
    });
    LlamaContextSequence.prototype.evaluate = evaluate;
  };
  return {
    'prompts and one token': {
      tokens: sum(prompts.map(({ length }) => length)),
      examples: prompts.length,
      run: run(1),
    },
    [`prompts and ${limit} tokens, counted`]: {
      tokens: prompts.length * limit,
      examples: prompts.length,
      run: run(limit),
    },
  };
}

/** Mebibytes of all cards that are in use, by everybody. */
function takenMemory(): number {
  if (gpu === false) return Number.NaN;
  const said = execFileSync('nvidia-smi', ['--query-gpu=memory.used', '--format=csv,noheader,nounits'], {
    encoding: 'utf8',
  });
  return sum(said.trim().split('\n').map(Number));
}

async function memory(number: Numbers): Promise<Record<string, Work>> {
  await closeAll();
  const [length, sequences] = [number('length', 255), number('sequences', 64)];
  const [batchSize, contexts] = [number('batch', 2048), number('contexts', 2)];
  const steps: string[] = [];
  const step = (name: string) => steps.push(`${name} ${takenMemory()}`);
  step('before');
  const each = await model();
  step('weights');
  const contextSize = length + 1;
  const request = { contextSize, sequences, batchSize, threads, flashAttention: 'auto' as const };
  const asked = { ...request, contexts, device: device as Device };
  const letters = await each.memoryNeeds({ ...asked, places: Math.floor(batchSize / length) });
  const needs = await each.memoryNeeds({ ...asked, places: batchSize });
  const open = await contextsOf(contexts, contextSize, sequences, batchSize);
  step('contexts');
  const fits = Math.min(sequences, Math.floor(batchSize / length));
  const prompts = (count: number) => Array.from({ length: count }, () => words(length));
  for (const count of [1, fits]) {
    const rows = prompts(count).map((tokens) => ({ tokens, optionIds: [32, 33, 34, 35] }));
    await Promise.all(open.map(async (context) => sound(await context.evaluate(rows))));
    step(`letters of ${count}`);
  }
  const stems = prompts(sequences).map((tokens) => tokens.slice(0, -8));
  const rows = stems.map((tokens) => ({ tokens, continuations: [0, 1].map((k) => [(300 + k) as Token, ...words(7)]) }));
  await Promise.all(open.map(async (context) => sound(await context.evaluateTexts(rows))));
  step('texts');
  const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
  for (const [kind, { weights, kvCache, compute }] of Object.entries({ letters, texts: needs })) {
    const parts = [weights, kvCache, compute].map(mebibytes).join(' + ');
    write(`memory, MiB: planned for ${kind} ${mebibytes(weights + kvCache + compute)} (${parts})`);
  }
  write(`memory, MiB: taken: ${steps.join(', ')}`);
  await closeAll();
  const llama = await getLlama({ gpu, build: 'never', logLevel: LlamaLogLevel.error });
  const insights = await GgufInsights.from(await readGgufFileInfo(modelPath), llama);
  const layers = insights.totalLayers;
  const [file, context] = [
    await insights.estimateModelResourceRequirementsV2({ gpuLayers: layers }),
    await insights.estimateContextResourceRequirementsV2({ ...request, modelGpuLayers: layers }),
  ];
  const said = (of: typeof file) => `card ${mebibytes(of.gpuVram)}, host ${mebibytes(of.cpuRam)}`;
  write(`memory, MiB: the library's dry run: weights ${said(file)}; a context ${said(context)}`);
  await llama.dispose();
  return {};
}

async function closeAll(): Promise<void> {
  await loaded?.close();
  loaded = undefined;
  opened.clear();
  await backend.shutdown();
}

async function child(number: Numbers): Promise<Record<string, Work>> {
  await closeAll();
  const prompts = demoPrompts(number('rows', 2048), number('questions', 6));
  const spec = { id: 'model', role: 'base', bucket: 'bench', prompt: 'raw' } as const;
  const jobs = [{ dataset: 'bench', prompts, onRows: async () => {} }];
  const came: { time: number; tokens: number }[] = [];
  const [outcome] = await scoreModels(
    [{ model: spec, place: { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size }, jobs }],
    { device: device as Device, cores: threads },
    { onRows: (_model, _dataset, _rows, tokens) => came.push({ time: performance.now(), tokens }) },
  );
  if (outcome === undefined || outcome.kind === 'failed') throw new Error(outcome?.reason ?? 'nothing came');
  // The first quarter of the batches holds the load, the self-check and the warm-up.
  const [first, last] = [came[came.length >> 2]!, came.at(-1)!];
  const tokens = sum(came.slice((came.length >> 2) + 1).map((each) => each.tokens));
  const rate = (tokens / ((last.time - first.time) / 1000)).toFixed(0);
  const all = (outcome.tokens / outcome.seconds).toFixed(0);
  write(`child: ${rate} tokens/s, load excluded; ${all} with it (${outcome.tokens} tokens, ${came.length} batches)`);
  write(JSON.stringify({ ...outcome.facts, chatTemplate: undefined }));
  return {};
}
