/**
 * The cost model against runs that were measured: the table of docs/scale.md. Ends with 1 when a prediction is more
 * than a fifth off.
 *
 *   node --import tsx bench/scale/check-cost-model.ts           runs on record
 *   node --import tsx bench/scale/check-cost-model.ts cpu       and demo models on this processor, measured now
 */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { ModelJob } from '../../src/contract/scorer.js';
import { workerPlan } from '../../src/scoring/memory/worker-plan.js';
import { cpuTime } from '../../src/scoring/process/cpu-time.js';
import { LLAMA_BACKEND } from '../../src/scoring/process/spawn-worker.js';
import { workerSlot } from '../../src/scoring/process/worker-slot.js';
import { runModel } from '../../src/scoring/run/run-model.js';
import { demoPrompts } from '../demo-prompts.js';
import { H200, loadSeconds, type ModelCost, type Rates, scoringSeconds, tokeniseSeconds } from './cost-model.js';

interface Run {
  readonly name: string;
  readonly model: ModelCost;
  readonly tokens: number;
  /** Prompts that every card tokenises before its first batch; 0: all that was timed came after it. */
  readonly rows: number;
  /** Whether start and load were timed too. */
  readonly loaded: boolean;
  readonly cards: number;
  readonly seconds: number;
}

const Q8_8B: ModelCost = { billions: 8.2, bytes: 8.746e9 };
const BF16_8B: ModelCost = { billions: 8.2, bytes: 16.456e9 };
/** A prompt of bench/gpu/two-cards.ts. */
const TOKENS = 167;
const cards = (rows: number, count: number, seconds: number, when: string): Run => ({
  name: `8B Q8_0, ${rows} rows, ${count} card${count > 1 ? 's' : ''} (${when})`,
  model: Q8_8B,
  tokens: rows * TOKENS,
  rows,
  loaded: true,
  cards: count,
  seconds,
});
const alone = (name: string, model: ModelCost, tokensPerSecond: number): Run => ({
  name: `${name}, scoring alone`,
  model,
  tokens: 100_000,
  rows: 0,
  loaded: false,
  cards: 1,
  seconds: 100_000 / tokensPerSecond,
});
const child = (name: string, model: ModelCost, tokensPerSecond: number): Run => ({
  name: `${name}, a child with its load`,
  model,
  tokens: 411_333,
  rows: 2000,
  loaded: true,
  cards: 1,
  seconds: 411_333 / tokensPerSecond,
});

/** From bench/gpu/README.md and docs/cards.md. */
const RECORDED: readonly Run[] = [
  cards(8192, 1, 54.2, 'two-cards.ts'),
  cards(8192, 2, 31.4, 'two-cards.ts'),
  cards(8192, 1, 57.3, 'two-cards.ts, another machine'),
  cards(8192, 2, 33.1, 'two-cards.ts, another machine'),
  cards(20480, 1, 130.1, 'two-cards.ts, another machine'),
  cards(20480, 2, 73.2, 'two-cards.ts, another machine'),
  cards(8192, 1, 57.7, 'start-of-child.ts'),
  cards(2048, 1, 18.6, 'start-of-child.ts'),
  child('8B Q8_0', Q8_8B, 19_273),
  child('8B BF16', BF16_8B, 19_223),
  alone('8B Q8_0', Q8_8B, 27_507),
  alone('8B BF16', BF16_8B, 32_223),
  alone('70B Q4_K_M', { billions: 71, bytes: 43e9 }, 2986),
];

const write = (line: string) => process.stdout.write(`${line}\n`);
let worst = 1;
write('| run | predicted, s | measured, s | ratio |');
write('|---|---:|---:|---:|');
for (const run of RECORDED) row(run.name, predicted(run, H200), run.seconds);
if (process.argv[2] === 'cpu') await checkCpu();
write(`largest factor: ${worst.toFixed(2)}`);
process.exitCode = worst > 1.2 ? 1 : 0;

function predicted({ model, tokens, rows, loaded, cards: count }: Run, rates: Rates): number {
  const before = loaded ? loadSeconds(model, rates) + tokeniseSeconds(rows, rates) : 0;
  return before + scoringSeconds(model, tokens / count, rates);
}

function row(name: string, expected: number, measured: number): void {
  worst = Math.max(worst, expected / measured, measured / expected);
  write(`| ${name} | ${expected.toFixed(1)} | ${measured.toFixed(1)} | ${(expected / measured).toFixed(2)} |`);
}

/** Start and speed of one core come from two runs of one model; other lengths and another model are predicted. */
async function checkCpu(): Promise<void> {
  const [short, long] = [await onCpu('tern-base', 60), await onCpu('tern-base', 240)];
  const { billions, bytes } = short.model;
  const perToken = (long.seconds - short.seconds) / (long.tokens - short.tokens);
  const start = short.seconds - short.tokens * perToken;
  const rates: Rates = {
    ...H200,
    tokenBillions: billions / perToken,
    mostTokens: 1 / perToken,
    load: 2e9,
    tokenise: 0,
  };
  write(`one core: ${(1 / perToken).toFixed(0)} tokens of tern (${bytes} bytes) a second, start ${start.toFixed(2)} s`);
  for (const [name, rows] of [
    ['tern-base', 480],
    ['heron-base', 120],
    ['dunlin-base', 360],
  ] as const) {
    const run = await onCpu(name, rows);
    row(`${name}, ${rows} rows, processor seconds`, predicted({ ...run, rows: 0 }, { ...rates, start }), run.seconds);
  }
}

/** Processor seconds of a child that scores some prompts with a demo model. */
async function onCpu(name: string, rows: number): Promise<Run> {
  const file = path.resolve(import.meta.dirname, '../../models/demo', `${name}.gguf`);
  const { size: bytes } = statSync(file);
  const job: ModelJob = {
    model: { id: name, role: 'base', bucket: 'bench', prompt: 'raw' },
    place: { kind: 'gguf', path: file, bytes },
    jobs: [{ dataset: 'bench', prompts: demoPrompts(rows, 5), onRows: async () => {} }],
  };
  const slot = workerSlot(LLAMA_BACKEND, false, write);
  const { pid = 0 } = slot.take().child;
  const common = { batchSeconds: 600, signal: new AbortController().signal, events: {} };
  const outcome = await runModel({ job, plan: workerPlan(job, { threads: 1 }, 'cpu'), slot, ...common });
  const seconds = (cpuTime(pid) ?? Number.NaN) / 1000;
  await slot.end();
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  // Weights of these files have 16 bits.
  const model = { billions: bytes / 2 / 1e9, bytes };
  return { name, model, tokens: outcome.tokens, rows, loaded: true, cards: 1, seconds };
}
