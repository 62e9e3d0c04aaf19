/**
 * Replies a second of elicitation against bare generation of the same tokens.
 *
 *   npx tsx bench/elicitation.ts [MODEL.gguf] [questions=64] [samples=5] [rounds=3]
 *
 * `grammar` and `text`: our sessions' way, one prompt for all samples of a question, 16 questions at a time, temperature
 * 0.7, held to the grammar or free. `bare`: node-llama-cpp's `evaluate` on 16 sequences, every sample with its prompt
 * from the start, as one would write it. One process, the ways taking turns; CPU seconds, median over rounds.
 */
import { resolve } from 'node:path';
import { getLlama, type Token } from 'node-llama-cpp';
import { replyGrammar } from '../src/datasets/reply-grammar.js';
import { openLlamaContext } from '../src/engine/llama/open-llama-context.js';
import { cpuSeconds, median, write } from './measure.js';

const [path = 'models/demo/tern-dpo.gguf', questionCount = '64', sampleCount = '5', rounds = '3'] =
  process.argv.slice(2);
const SEQUENCES = 16;
const LIMIT = 32;
const samples = Number(sampleCount);
const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false, maxThreads: 1 });
const model = await llama.loadModel({ modelPath: resolve(path) });
const prompts = Array.from({ length: Number(questionCount) }, (_, n) => {
  const text = `Question: Anna has ${11 + n} pears and buys ${7 + 3 * n} more. How many pears does Anna have now?\nA. ${18 + 4 * n}\nB. ${19 + 4 * n}\nC. ${8 + 4 * n}\nD. 57\n\nReply with JSON: {"answer": letter, "confidence": 0 to 100}.\nReply:`;
  return [model.tokens.bos!, ...model.tokenize(text)];
});
const request = { contextSize: 192, sequences: SEQUENCES, batchSize: 2048, threads: 1 };
const ours = await openLlamaContext(model, request);
const bareContext = await model.createContext({ ...request, failedCreationRemedy: false });
const sequences = Array.from({ length: SEQUENCES }, () => bareContext.getSequence());
let tokens = 0;

async function session(grammar: string | null): Promise<void> {
  for (let from = 0; from < prompts.length; from += SEQUENCES) {
    const rows = prompts.slice(from, from + SEQUENCES).map((prompt) => ({
      ...{ tokens: prompt, seeds: Array.from({ length: samples }, (_, s) => s), temperature: 0.7 },
      ...{ maxTokens: LIMIT, grammar },
    }));
    const replies = (await ours.generate(rows)).flat();
    tokens += replies.reduce((sum, reply) => sum + (reply.kind === 'text' ? reply.tokens : 0), 0);
  }
}

async function bare(): Promise<void> {
  for (let from = 0; from < prompts.length; from += SEQUENCES)
    for (let sample = 0; sample < samples; sample++)
      await Promise.all(prompts.slice(from, from + SEQUENCES).map((prompt, n) => reply(prompt, n, sample)));
}

async function reply(prompt: readonly Token[], n: number, seed: number): Promise<void> {
  const sequence = sequences[n]!;
  await sequence.clearHistory();
  let count = 0;
  for await (const _ of sequence.evaluate([...prompt], { temperature: 0.7, topK: 0, topP: 1, seed })) {
    tokens++;
    if (++count === LIMIT) break;
  }
}

const ways = { grammar: () => session(replyGrammar(['A', 'B', 'C', 'D'])), text: () => session(null), bare };
const seconds = { grammar: [] as number[], text: [] as number[], bare: [] as number[] };
const written = { grammar: 0, text: 0, bare: 0 };
for (let round = 0; round < Number(rounds); round++)
  for (const way of ['grammar', 'text', 'bare'] as const) {
    tokens = 0;
    seconds[way].push(await cpuSeconds(ways[way]));
    written[way] = tokens;
  }
for (const way of ['grammar', 'text', 'bare'] as const) {
  const rate = written[way] / median(seconds[way]);
  const ratio = rate / (written.bare / median(seconds.bare));
  write(`${way.padEnd(8)} ${written[way]} tokens, ${rate.toFixed(0)} a CPU second, ${ratio.toFixed(2)} of bare`);
}
await llama.dispose();
