/**
 * What CAPE costs in tokens on the paper's data: the plain prompts and all orders of their options, by K plain prompts,
 * with stems that stay from the plain prompts and with stems evaluated anew. Nothing but vocabularies is loaded.
 *
 *   npx tsx bench/cape-tokens.ts DATA MODEL.gguf...
 *
 * DATA: a folder with medmcqa/dev.json, mathqa/dev.json, truthfulqa/mc_task.json and
 * tweeteval-sentiment/val_text.txt as their authors give them; every eighth question is taken, in the product's own
 * prompt, raw and in the file's own chat template. Tokens that all prompts begin with count for none, since they are
 * kept anyway. Questions of MedMCQA whose plain prompt has 160 to 240 tokens stand in a line of their own: bars for a
 * card are stated for that length, and a longer prompt is a longer question more than longer options.
 */
import { readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { sharedBeginning } from '../src/contract/shared-beginning.js';
import { encodeJobs } from '../src/engine/encode/encode-jobs.js';
import { allTokens } from '../src/engine/encode/prompt-size.js';
import { frameModel } from '../src/engine/frame/frame-model.js';
import { backend } from '../src/engine/llama/llama-backend.js';
import type { EvaluationContext, LoadedModel } from '../src/engine/protocol/backend.js';
import type { WirePrompt } from '../src/engine/protocol/protocol.js';
import { joinOrders } from '../src/engine/rows/join-orders.js';
import { write } from './measure.js';
import { medmcqaOrders, ordersOf } from './medmcqa-orders.js';

const [data = '', ...models] = process.argv.slice(2);
const read = (file: string) => readFileSync(join(resolve(data), file), 'utf8');
const some = <T>(all: readonly T[]) => all.filter((_, n) => n % 8 === 0);
const SETS: Record<string, WirePrompt[]> = {
  MedMCQA: medmcqaOrders(join(resolve(data), 'medmcqa/dev.json'), 520),
  MathQA: some(JSON.parse(read('mathqa/dev.json')) as { Problem: string; options: string }[]).map((row, n) => {
    const texts = row.options.split(/ ?, (?=[b-e] \) )/).map((text) => text.replace(/^[a-e] \) /, ''));
    return ordersOf(`q${n}`, row.Problem, texts);
  }),
  TruthfulQA: some(JSON.parse(read('truthfulqa/mc_task.json')) as { question: string; mc1_targets: object }[]).map(
    (row, n) => ordersOf(`q${n}`, row.question, Object.keys(row.mc1_targets)),
  ),
  TweetEval: some(read('tweeteval-sentiment/val_text.txt').trim().split('\n')).map((text, n) => tweet(text, n)),
};
const ALL_MEDMCQA = medmcqaOrders(join(resolve(data), 'medmcqa/dev.json'), 4183);

for (const path of models) {
  const request = { modelPath: resolve(path), device: 'cpu', threads: 1, vocabOnly: true, onLog: () => {} } as const;
  const model = await backend.load(request);
  const isLong = ({ text }: WirePrompt) => {
    const { length } = model.tokenize(text);
    return length >= 160 && length <= 240;
  };
  const sets = { ...SETS, 'MedMCQA of 160 to 240 tokens': ALL_MEDMCQA.filter(isLong) };
  for (const prompt of ['raw', 'chat'] as const)
    for (const [name, prompts] of Object.entries(sets))
      await report(`${basename(path)}, ${prompt}, ${name} (${prompts.length} questions)`, model, prompt, prompts);
  await model.close();
}
await backend.shutdown();

async function report(name: string, model: LoadedModel, prompt: 'raw' | 'chat', prompts: WirePrompt[]): Promise<void> {
  if (prompt === 'chat' && model.info.chatTemplate === null) return;
  const plain = prompts.map(({ rotations: _, ...each }): WirePrompt => ({ ...each, mode: 'letter' }));
  const others = prompts.map((each) => ({ ...each, rotations: each.rotations!.slice(1) }));
  const framing = frameModel({ prompt, bos: 'auto' }, model);
  const sharing = [plain, others].map((each) => sharedBeginning(each) ?? undefined);
  const { jobs, shared } = await encodeJobs([plain, others], sharing, framing, { tokenize: model.tokenize });
  const [letters, orders] = jobs.map((job, n) =>
    job.flatMap((each) => (each.kind === 'refused' ? [] : [{ job: n, prompt: each, tokens: allTokens(each) }])),
  );
  const kept = shared[0] ?? [];
  const context = { fills: true } as EvaluationContext;
  const joined = joinOrders({ plain: letters!, orders: orders!, shared: kept, context });
  const sum = (rows: readonly { readonly tokens: number }[]) => rows.reduce((total, { tokens }) => total + tokens, 0);
  const once = sum(letters!) - kept.length * letters!.length;
  const apart = once + sum(orders!) - (shared[1]?.length ?? 0) * orders!.length;
  const saved = joined.reduce((total, [, { prompt: each, tokens }]) => total + allTokens(each) - tokens, 0);
  const keptCost = apart - saved + kept.length * joined.length;
  const options = prompts.reduce((total, { continuations }) => total + continuations.length, 0) / prompts.length;
  const share = (saved - kept.length * joined.length) / once;
  const by = (cost: number) => (cost / (options * once)).toFixed(3);
  write(
    `${name}: K = ${options.toFixed(1)}, ${(once / letters!.length).toFixed(0)} tokens, stem ${share.toFixed(2)}; ` +
      `${by(apart)} anew, ${by(keptCost)} kept (${joined.length} of ${orders!.length})`,
  );
}

function tweet(text: string, n: number): WirePrompt {
  const { rotations = [], ...prompt } = ordersOf(`t${n}`, '', ['negative', 'neutral', 'positive']);
  const asked = (each: string) =>
    each.replace('Question: \n', () => `Tweet: ${text}\nWhat is the sentiment of this tweet?\n`);
  return {
    ...prompt,
    text: asked(prompt.text),
    rotations: rotations.map((order) => ({ ...order, text: asked(order.text) })),
  };
}
