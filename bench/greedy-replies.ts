/**
 * Greedy replies of `structured: grammar` against node-llama-cpp's own sampling, token by token, held to a GBNF grammar
 * of the same replies; and why they differ where they do.
 *
 *   npx tsx bench/greedy-replies.ts [questions=150] [off|on|auto] [MODEL.gguf ...]
 *
 * Questions are the first of the demo's facts, models all post-trained ones of the demo; off, on or auto: flash
 * attention of the library's context (ours has none). Our reply is one of the texts that the grammar allows, each in
 * the tokens that the tokenizer gives it; the grammar alone also allows tokens that cut words elsewhere. For each
 * difference: both replies as tokens, and the raw logits of both tokens where they part, after the same beginning,
 * evaluated in one pass and token by token, alone and with others.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type ControlledEvaluateInputItem,
  getLlama,
  type Llama,
  LlamaGrammarEvaluationState,
  type LlamaModel,
  type Token,
} from 'node-llama-cpp';
import { REPLY_FORM } from '../src/datasets/prompts/render-elicitation.js';
import { type EncodedReply, replyEncoder } from '../src/engine/encode/encode-reply.js';
import { RAW_FRAME } from '../src/engine/frame/prompt-frame.js';
import { openLlamaContext } from '../src/engine/llama/open-llama-context.js';
import { logitRequest, readingOf } from '../src/engine/llama/read-logits.js';
import { write } from './measure.js';
import { REPLY_GRAMMAR } from './reply-grammar.js';

const SEQUENCES = 16;
const LIMIT = 32;

const [count = '150', attention = 'off', ...given] = process.argv.slice(2);
const flash = attention === 'auto' ? ('auto' as const) : attention === 'on';
const folder = new URL('../models/demo/', import.meta.url).pathname;
const postTrained = readdirSync(folder).filter((name) => name.endsWith('.gguf') && !name.includes('-base'));
const models = given.length > 0 ? given : postTrained.map((name) => `${folder}${name}`);
const questions = demoQuestions(Number(count));
const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false, maxThreads: 1 });
for (const path of models) await compare(llama, resolve(path));
await llama.dispose();

async function compare(binding: Llama, modelPath: string): Promise<void> {
  const model = await binding.loadModel({ modelPath });
  const encode = replyEncoder({ frame: RAW_FRAME, bosId: model.tokens.bos }, (text) => model.tokenize(text, false));
  const asked = questions.map((text, n) => encode(promptOf(text, n)) as EncodedReply);
  const ours = await ourReplies(model, asked);
  const theirs = await theirReplies(binding, model, asked);
  const differing = asked.flatMap((each, n) => (ours[n] === textOf(model, theirs[n]!) ? [] : [{ each, n }]));
  const otherTokens = asked.filter(
    (each, n) => ours[n] === textOf(model, theirs[n]!) && pathOf(each, ours[n]!).join() !== theirs[n]!.join(),
  );
  const name = modelPath.split('/').at(-1);
  write(`${name}: ${asked.length} replies, ${differing.length} differ, ${otherTokens.length} the same in other tokens`);
  for (const { each, n } of differing) await explain(model, each, pathOf(each, ours[n]!), theirs[n]!);
  await model.dispose();
}

function promptOf(text: string, n: number) {
  const reply = { sample: 1, seed: n, temperature: 0, maxTokens: LIMIT, form: REPLY_FORM, options: [] };
  const mode = 'reply' as const;
  return {
    id: `${n}`,
    text,
    mode,
    continuations: ['A', 'B', 'C', 'D'],
    answerPrefix: null,
    reply: { example: `${n}`, ...reply },
  };
}

async function ourReplies(model: LlamaModel, asked: readonly EncodedReply[]): Promise<string[]> {
  const context = await openLlamaContext(model, {
    contextSize: 256,
    sequences: SEQUENCES,
    batchSize: 2048,
    threads: 1,
  });
  const samples = [{ seed: 0, temperature: 0 }];
  const texts: string[] = [];
  for (let from = 0; from < asked.length; from += SEQUENCES) {
    const rows = asked.slice(from, from + SEQUENCES);
    const written = await context.generate(
      rows.map(({ tokens, form }) => ({ tokens: Array.from(tokens), samples, maxTokens: LIMIT, form })),
    );
    for (const [generation] of written)
      texts.push(generation!.kind === 'text' ? generation!.text : generation!.message);
  }
  return texts;
}

async function theirReplies(binding: Llama, model: LlamaModel, asked: readonly EncodedReply[]): Promise<Token[][]> {
  const context = await model.createContext({
    contextSize: 256,
    sequences: SEQUENCES,
    batchSize: 2048,
    threads: 1,
    flashAttention: flash,
  });
  const sequences = Array.from({ length: SEQUENCES }, () => context.getSequence());
  const grammar = await binding.createGrammar({ grammar: REPLY_GRAMMAR });
  const replies: Token[][] = [];
  for (let from = 0; from < asked.length; from += SEQUENCES) {
    const rows = asked.slice(from, from + SEQUENCES).map(async ({ tokens }, n) => {
      const sequence = sequences[n]!;
      await sequence.clearHistory();
      const grammarEvaluationState = new LlamaGrammarEvaluationState({ model, grammar });
      const written: Token[] = [];
      const options = { temperature: 0, grammarEvaluationState };
      for await (const token of sequence.evaluate(Array.from(tokens) as Token[], options)) {
        written.push(token);
        if (written.length === LIMIT) break;
      }
      return written;
    });
    replies.push(...(await Promise.all(rows)));
  }
  await context.dispose();
  return replies;
}

/** The tokens of one of the texts of a form. */
function pathOf({ form }: EncodedReply, text: string): number[] {
  const search = (node: NonNullable<typeof form>): number[] | null => {
    if (node.text !== null) return node.text === text ? [] : null;
    for (const [token, child] of node.next) {
      const rest = search(child);
      if (rest !== null) return [token, ...rest];
    }
    return null;
  };
  return search(form!) ?? [];
}

/** Raw logits of both tokens where two replies part. */
async function explain(model: LlamaModel, { id, tokens }: EncodedReply, a: readonly number[], b: readonly number[]) {
  const pieces = (path: readonly number[]) => path.map((token) => JSON.stringify(textOf(model, [token]))).join(' ');
  write(`  question ${Number(id) + 1}\n    ours     ${pieces(a)}\n    grammar  ${pieces(b)}`);
  const at = a.findIndex((token, n) => token !== b[n]);
  const stem = [...tokens, ...a.slice(0, at)];
  const ids = [a[at]!, b[at]!];
  const request = { contextSize: 256, sequences: 2, batchSize: 2048, threads: 1 };
  const context = await openLlamaContext(model, request);
  const one = await openLlamaContext(model, { ...request, sequences: 1 });
  const rows = [{ tokens: stem, optionIds: ids }];
  const reply = { prompt: tokens, stem, ids };
  const results = {
    alone: (await one.evaluate(rows))[0]!,
    'in a batch': (await context.evaluate([...rows, ...rows]))[0]!,
    'token by token': await stepByStep(model, reply, 1),
    'token by token, two at once': await stepByStep(model, reply, 2),
    'token by token, 16 at once': await stepByStep(model, reply, 16),
  };
  for (const [name, result] of Object.entries(results)) {
    if (result.kind !== 'logits') throw new Error('could not be evaluated');
    const [ours, theirs] = result.logits as number[];
    write(`    ${name}: ours ${ours}, grammar's ${theirs}, difference ${(ours! - theirs!).toFixed(7)}`);
  }
}

/**
 * The prompt in one pass, then each token of the reply in a pass of its own, as generation does; `count` alike at once.
 */
async function stepByStep(
  model: LlamaModel,
  reply: { readonly prompt: ArrayLike<number>; readonly stem: readonly number[]; readonly ids: readonly number[] },
  count: number,
) {
  const { prompt, stem, ids } = reply;
  const request = { contextSize: 256, sequences: count, batchSize: 2048, threads: 1, flashAttention: false };
  const context = await model.createContext(request);
  const sequences = Array.from({ length: count }, () => context.getSequence());
  const pass = (items: ControlledEvaluateInputItem[]) =>
    Promise.all(sequences.map((sequence) => sequence.controlledEvaluate(items)));
  await pass(stem.slice(0, prompt.length) as Token[]);
  for (const token of stem.slice(prompt.length, -1)) await pass([token as Token]);
  const [output] = await pass([[stem.at(-1) as Token, { generateNext: logitRequest(ids) }]]);
  await context.dispose();
  return { kind: 'logits' as const, ...readingOf(output![0]?.next, ids) };
}

function textOf(model: LlamaModel, path: readonly number[]): string {
  return model.detokenize(path as Token[], true);
}

function demoQuestions(rows: number): string[] {
  const lines = readFileSync(new URL('../datasets/demo-facts.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return lines.slice(0, rows).map((line) => {
    const { question, options } = JSON.parse(line) as { question: string; options: string[] };
    const shown = options.map((option, k) => `${'ABCD'[k]}. ${option}`).join('\n');
    return `Question: ${question}\n${shown}\n\nReply with JSON: {"answer": letter, "confidence": 0 to 100}.\nReply:`;
  });
}
