/**
 * How much a second context hides: a backend whose decode sleeps (a GPU at work) and whose logits cost CPU time
 * afterwards, scored by the real session with one context and with two.
 *
 *   npx tsx bench/two-contexts.ts [decode ms=20] [reading ms=10] [prompts=640]
 *
 * One context takes decode + reading per batch; two that overlap perfectly take the larger of them.
 */

import { modelTask } from '../src/engine/model-task.js';
import type { Backend, EvaluationContext } from '../src/engine/protocol/backend.js';
import type { FromWorker } from '../src/engine/protocol/protocol.js';
import { median, write } from './measure.js';

const [decodeMs = '20', readingMs = '10', promptCount = '640'] = process.argv.slice(2);
const SEQUENCES = 16;

/** The device: one decode at a time, whatever the contexts. */
let device: Promise<void> = Promise.resolve();

const seconds = { one: [] as number[], two: [] as number[] };
for (let round = 0; round < 3; round++) {
  seconds.one.push(await score(1));
  seconds.two.push(await score(2));
}
const batches = Number(promptCount) / SEQUENCES;
const each = (times: readonly number[]) => (1000 * median(times)) / batches;
const best = Math.max(Number(decodeMs), Number(readingMs));
write(`decode ${decodeMs} ms, reading ${readingMs} ms a batch, ${batches} batches`);
write(
  `one context: ${each(seconds.one).toFixed(1)} ms a batch; two: ${each(seconds.two).toFixed(1)} (best possible ${best})`,
);
write(`ratio ${(each(seconds.one) / each(seconds.two)).toFixed(2)}`);

async function score(contexts: number): Promise<number> {
  const send = (message: FromWorker) => {
    if (message.kind === 'failed') throw new Error(message.reason);
    if (message.kind === 'rows') session.receive({ kind: 'ack' });
  };
  const session = modelTask(sleepingBackend(), send);
  const prompts = Array.from({ length: Number(promptCount) }, (_, n) => ({
    id: `q${n}`,
    text: String(n).padStart(100, '.'),
    mode: 'letter' as const,
    continuations: ['A', 'B'],
    answerPrefix: null,
  }));
  const sizes = {
    contextSize: null,
    sequences: SEQUENCES,
    contexts,
    batchSize: 2048,
    threads: 1,
    flashAttention: 'off' as const,
  };
  session.receive({
    kind: 'load',
    plan: { model: 'm', modelPath: 'stub', device: 'cuda', prompt: 'raw', bos: 'auto', ...sizes },
  });
  session.receive({ kind: 'prompts', job: 0, prompts });
  const started = performance.now();
  session.receive({ kind: 'start' });
  await session.ended;
  return (performance.now() - started) / 1000;
}

async function decode(): Promise<void> {
  const before = device;
  let release = () => {};
  device = new Promise((resolve) => {
    release = resolve;
  });
  await before;
  await new Promise((resolve) => setTimeout(resolve, Number(decodeMs)));
  release();
}

function read(): void {
  const end = performance.now() + Number(readingMs);
  while (performance.now() < end);
}

function sleepingBackend(): Backend {
  const context = (sequences: number, contextSize: number, batchSize: number): EvaluationContext => ({
    sequences,
    tokensPerSequence: contextSize,
    batchSize,
    evaluate: async (rows) => {
      await decode();
      read();
      return rows.map(() => ({ kind: 'logits', logits: [1, 2], maxLogit: 3, totalWeight: 2 }));
    },
    evaluateTexts: async () => [],
    evaluateTails: async () => [],
    generate: async () => [],
  });
  return {
    load: async () => ({
      info: {
        architecture: 'stub',
        device: 'stub',
        chatTemplate: null,
        trainContextSize: 4096,
        vocabularyType: 'bpe',
        tokenizerModel: 'gpt2',
        preTokenizer: 'stub',
        bos: null,
        eosText: '',
        addBosKey: false,
        addBosDefault: false,
        rewinds: true,
      },
      tokenize: (text) => Array.from(text, (character) => character.codePointAt(0)!),
      controlTokens: () => [],
      detokenize: () => '',
      memoryNeeds: async () => ({ weights: 0, kvCache: 0, compute: 0 }),
      openContext: async (request) => context(request.sequences, request.contextSize, request.batchSize),
      close: async () => {},
    }),
    shutdown: async () => {},
  };
}
