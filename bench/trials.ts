/**
 * What a trial of `doctor --tune` says all prompts would take, over the time that they do take: letters, whole texts,
 * other orders of options, free text and replies that a grammar holds, on a CPU in batches as on a card.
 *
 *   npx tsx bench/trials.ts MODEL.gguf [size=1] [rounds=3] [sequences=16] [KIND...]
 *
 * SIZE multiplies the numbers of prompts: all of a kind should take some seconds. One context, so that no other
 * disturbs it on a machine of two cores. Trials are measured right before and after all prompts.
 */
import { basename, resolve } from 'node:path';
import type { ReplyForm } from '../src/contract/prompt.js';
import { sharedBeginning } from '../src/contract/shared-beginning.js';
import { encodeJobs } from '../src/engine/encode/encode-jobs.js';
import { tokenisingFor } from '../src/engine/encode/tokenising-for.js';
import { backend } from '../src/engine/llama/llama-backend.js';
import { loadModel } from '../src/engine/load-model.js';
import { openContexts } from '../src/engine/open-contexts.js';
import type { OtherOrders, WirePrompt, WorkerPlan } from '../src/engine/protocol/protocol.js';
import { isRotated, planJobs, promptsOf } from '../src/engine/rows/plan-jobs.js';
import { rowEvaluator } from '../src/engine/rows/row-evaluator.js';
import { evaluateWave } from '../src/engine/rows/score-waves.js';
import { timeWaves } from '../src/engine/trial/time-waves.js';
import { seededGenerator } from '../src/numeric/random/seeded-generator.js';
import { median, write } from './measure.js';

const [path = '', sizeText = '1', rounds = '3', sequences = '16', ...kinds] = process.argv.slice(2);
const size = Number(sizeText);
const WORDS = 'time year people way day man thing woman life child world school state family group'.split(' ');
const generator = seededGenerator(7);

const FORM: ReplyForm = { leads: [''], parts: ['{"answer": ', ', "confidence": ', '}'] };
const JOBS: Readonly<Record<string, () => { jobs: WirePrompt[][]; otherOrders?: OtherOrders[] }>> = {
  letters: () => ({ jobs: [letters(400)] }),
  texts: () => ({ jobs: [letters(150).map(asTexts)] }),
  orders: () => {
    const pairs = letters(150).map(withOrders);
    const jobs = [pairs.map(([plain]) => plain), pairs.map(([, orders]) => orders)];
    return { jobs, otherOrders: [{ plain: 0, orders: 1 }] };
  },
  free: () => ({ jobs: [letters(30).flatMap((prompt) => replies(prompt, 48, null))] }),
  forms: () => ({ jobs: [letters(60).flatMap((prompt) => replies(prompt, 48, FORM))] }),
};
const plan: WorkerPlan = {
  model: 'm',
  modelPath: resolve(path),
  device: 'cpu',
  threads: 1,
  contexts: 1,
  sequences: Number(sequences),
  contextSize: null,
  batchSize: 1024,
  prompt: 'raw',
  bos: 'auto',
  flashAttention: 'off',
  company: 'always',
};
const loaded = await loadModel(backend, { kind: 'load', plan }, () => {}).whole;
const { model, framing } = loaded;
write(`${basename(path)}, ${sequences} sequences: what ${rounds} x 2 trials say over the time of all prompts`);
for (const kind of kinds.length === 0 ? Object.keys(JOBS) : kinds) {
  const { jobs, otherOrders = [] } = JOBS[kind]!();
  const sharing = model.info.rewinds ? jobs.map((job) => sharedBeginning(job) ?? []) : [];
  const encoded = await encodeJobs(jobs, sharing, framing, tokenisingFor(model, plan));
  const [opened] = await openContexts(model, plan, encoded.longest);
  // A card's batches fill all sequences, whatever one pass holds.
  const context = { ...opened, fills: true };
  const { trainContextSize } = model.info;
  const run = { encoded, contexts: [context] as const, trainContextSize, otherOrders };
  const { waves } = planJobs(run, context.tokensPerSequence - 1);
  const all = async () => {
    const evaluate = rowEvaluator(waves.flatMap(promptsOf));
    const began = performance.now();
    const inOrder = waves.toSorted((a, b) => Number(isRotated(a)) - Number(isRotated(b)));
    for (const wave of inOrder) await evaluateWave(evaluate, context, wave);
    return (performance.now() - began) / 1000;
  };
  const trial = async () => {
    const began = performance.now();
    const timing = { ms: 1500, stopped: () => false, onAlive: () => {} };
    const { seconds } = await timeWaves({ ...run, ...timing, maxFailedShare: 0.5 });
    return { seconds, took: (performance.now() - began) / 1000 };
  };
  await trial();
  const measured: { ratio: number; whole: number; took: number }[] = [];
  for (let round = 0; round < Number(rounds); round++) {
    const before = await trial();
    const whole = await all();
    for (const { seconds, took } of [before, await trial()]) measured.push({ ratio: seconds / whole, whole, took });
  }
  const medianOf = (field: 'ratio' | 'whole' | 'took') => median(measured.map((each) => each[field]));
  const each = measured.map(({ ratio }) => ratio.toFixed(2)).join(' ');
  write(
    `${kind.padEnd(8)} ${medianOf('ratio').toFixed(2)} (${each}); ${waves.length} batches in ${medianOf('whole').toFixed(1)} s, ` +
      `a trial ${medianOf('took').toFixed(1)} s`,
  );
  await opened.close?.();
}
await model.close();
process.exit(0);

function words(count: number): string {
  return Array.from({ length: count }, () => WORDS[(generator.next() >>> 8) % WORDS.length]).join(' ');
}

function letters(count: number): WirePrompt[] {
  return Array.from({ length: Math.round(count * size) }, (_, n) => ({
    id: String(n),
    text: `${words(20 + ((generator.next() >>> 8) % 80))}\nAnswer:`,
    mode: 'letter',
    continuations: ['A', 'B', 'C', 'D'],
    answerPrefix: null,
  }));
}

function asTexts(prompt: WirePrompt): WirePrompt {
  const continuations = [words(3), words(5), words(4), words(8)];
  return { ...prompt, mode: 'text', continuations, textScore: { normalize: 'sum' } };
}

/** A prompt that ends in its options, and their second to fourth order. */
function withOrders(prompt: WirePrompt): [plain: WirePrompt, orders: WirePrompt] {
  const options = [words(2), words(3), words(2), words(4)];
  const [first, ...others] = [0, 1, 2, 3].map((by) => ({
    text: `${prompt.text}\n${options.map((_, n) => `${'ABCD'[n]}. ${options[(n + by) % 4]}`).join('\n')}\nAnswer:`,
    continuations: options.map((_, n) => 'ABCD'[(n - by + 4) % 4]!),
  }));
  return [
    { ...prompt, ...first! },
    { ...prompt, ...others[0]!, mode: 'rotations', rotations: others },
  ];
}

function replies(prompt: WirePrompt, maxTokens: number, form: ReplyForm | null): WirePrompt[] {
  return [1, 2, 3, 4, 5].map((sample) => ({
    ...prompt,
    id: `${prompt.id}#${sample}`,
    mode: 'reply',
    reply: {
      options: ['w', 'x', 'y', 'z'],
      form,
      maxTokens,
      temperature: 0.7,
      seed: 100 * Number(prompt.id) + sample,
      sample,
      example: prompt.id,
    },
  }));
}
