/**
 * What replies cost: five samples and the greedy one of a question, against its prompt alone and against generation as
 * one would write it.
 *
 *   npx tsx bench/elicitation.ts [MODEL.gguf] [questions=64] [samples=5] [rounds=3] [device=cpu]
 *
 * `prompt`: the questions' prompts alone, their letters read, as in letter mode. `form`: our sessions' way with
 * `structured: grammar`, the greedy reply and the samples together. `text`: the same with free text. `grammar`:
 * node-llama-cpp's `evaluate` held to a GBNF grammar of the same replies, `bare` without one; both on 16 sequences,
 * every reply with its prompt from the start. One process, the ways taking turns, the first round not counted;
 * milliseconds a question, median over rounds: of CPU time on `cpu`, by the clock on a GPU (`cuda`, `vulkan`, `metal`),
 * which gets the 64 sequences that scoring gives it. The last lines are what doctor assumes: tokens written per second,
 * counting 13 of a reply held to the form and all of free text, over tokens of prompts evaluated per second.
 */
import { resolve } from 'node:path';
import { getLlama, LlamaGrammarEvaluationState, type Token } from 'node-llama-cpp';
import { REPLY_FORM } from '../src/datasets/prompts/render-elicitation.js';
import { type EncodedReply, replyEncoder } from '../src/engine/encode/encode-reply.js';
import { RAW_FRAME } from '../src/engine/frame/prompt-frame.js';
import { openLlamaContext } from '../src/engine/llama/open-llama-context.js';
import { cpuSeconds, median, write } from './measure.js';
import { REPLY_GRAMMAR } from './reply-grammar.js';

const [path = 'models/demo/tern-dpo.gguf', questionCount = '64', sampleCount = '5', rounds = '3', device = 'cpu'] =
  process.argv.slice(2);
const gpu = device === 'cpu' ? false : (device as 'cuda' | 'vulkan' | 'metal');
const SEQUENCES = gpu === false ? 16 : 64;
const LIMIT = 32;
const samples = Number(sampleCount);
const llama = await getLlama({ gpu, build: 'never', skipDownload: true, progressLogs: false, maxThreads: 1 });
const model = await llama.loadModel({ modelPath: resolve(path) });
const encode = replyEncoder({ frame: RAW_FRAME, bosId: model.tokens.bos }, (text) => model.tokenize(text, false));
const LABELS = ['A', 'B', 'C', 'D'];
const encoded = Array.from({ length: Number(questionCount) }, (_, n) => {
  const text = `Question: Anna has ${11 + n} pears and buys ${7 + 3 * n} more. How many pears does Anna have now?\nA. ${18 + 4 * n}\nB. ${19 + 4 * n}\nC. ${8 + 4 * n}\nD. 57\n\nReply with JSON: {"answer": letter, "confidence": 0 to 100}.\nReply:`;
  const reply = {
    example: `${n}`,
    sample: 1,
    seed: n,
    temperature: 0,
    maxTokens: LIMIT,
    form: REPLY_FORM,
    options: [],
  };
  return encode({ id: `${n}`, text, mode: 'reply', continuations: LABELS, answerPrefix: null, reply }) as EncodedReply;
});
const prompts = encoded.map(({ tokens }) => Array.from(tokens) as Token[]);
const draws = Array.from({ length: samples + 1 }, (_, s) => ({ seed: s, temperature: s === 0 ? 0 : 0.7 }));
const request = { contextSize: 192, sequences: SEQUENCES, batchSize: 2048, threads: 1 };
const ours = await openLlamaContext(model, request);
const bareContext = await model.createContext({ ...request, failedCreationRemedy: false });
const sequences = Array.from({ length: SEQUENCES }, () => bareContext.getSequence());
const grammar = await llama.createGrammar({ grammar: REPLY_GRAMMAR });

async function inWaves(work: (from: number, to: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < prompts.length; from += SEQUENCES) await work(from, from + SEQUENCES);
}

const session = (form: boolean) =>
  inWaves((from, to) =>
    ours.generate(
      encoded.slice(from, to).map((each, n) => ({
        tokens: prompts[from + n]!,
        samples: draws,
        maxTokens: LIMIT,
        form: form ? each.form : null,
      })),
    ),
  );

const alone = () =>
  inWaves((from, to) => ours.evaluate(prompts.slice(from, to).map((tokens) => ({ tokens, optionIds: [1, 2, 3, 4] }))));

const bare = (held: boolean) =>
  inWaves(async (from, to) => {
    for (const draw of draws)
      await Promise.all(prompts.slice(from, to).map((prompt, n) => reply(prompt, n, draw, held)));
  });

async function reply(prompt: readonly Token[], n: number, draw: (typeof draws)[number], held: boolean): Promise<void> {
  const sequence = sequences[n]!;
  await sequence.clearHistory();
  let count = 0;
  const options = {
    ...draw,
    topK: 0,
    topP: 1,
    minP: 0,
    ...(held && { grammarEvaluationState: new LlamaGrammarEvaluationState({ model, grammar }) }),
  };
  for await (const _ of sequence.evaluate([...prompt], options)) if (++count === LIMIT) break;
}

const ways = {
  prompt: alone,
  form: () => session(true),
  text: () => session(false),
  grammar: () => bare(true),
  bare: () => bare(false),
};
const names = Object.keys(ways) as (keyof typeof ways)[];
const seconds = Object.fromEntries(names.map((name) => [name, [] as number[]]));
for (let round = 0; round <= Number(rounds); round++) {
  for (const name of names) {
    const started = performance.now();
    const cpu = await cpuSeconds(ways[name]);
    if (round > 0) seconds[name]!.push(gpu === false ? cpu : (performance.now() - started) / 1000);
  }
}
for (const name of names) {
  const cost = median(seconds[name]!);
  const ratio = cost / median(seconds.prompt!);
  write(
    `${name.padEnd(8)} ${((1000 * cost) / prompts.length).toFixed(2)} ms a question, ${ratio.toFixed(2)} x its prompt`,
  );
}
const prompt = median(seconds.prompt!);
const promptTokens = prompts.reduce((sum, { length }) => sum + length, 0);
write(`prompts: ${(promptTokens / prompt).toFixed(0)} tokens/s`);
for (const [name, length] of [
  ['form', 13],
  ['text', LIMIT],
] as const) {
  const written = (prompts.length * draws.length * length) / (median(seconds[name]!) - prompt);
  write(`${name}: ${written.toFixed(0)} tokens written/s, ${((written * prompt) / promptTokens).toFixed(2)} of that`);
}
await llama.dispose();
