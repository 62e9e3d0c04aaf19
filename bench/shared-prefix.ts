/**
 * Questions of about 100 tokens after a beginning that all share (800 tokens, and shorter ones): examples per CPU
 * second when the beginning is kept, against evaluating it again for every question.
 *
 *   npx tsx bench/shared-prefix.ts [MODEL.gguf] [rows=320] [rounds=3] [question tokens=100]
 *
 * One process, one thread, 16 sequences, batches of 2048 tokens. Both ways take turns; a ratio is that of CPU times,
 * the median over rounds. Keeping starts each round with sequences that hold nothing, as a run does; more rows give
 * more.
 */
import { resolve } from 'node:path';
import { backend } from '../src/engine/llama/llama-backend.js';
import type { EvaluationRow, LoadedModel } from '../src/engine/protocol/backend.js';
import { planWaves } from '../src/engine/rows/plan-waves.js';
import { cpuSeconds, median, write } from './measure.js';

const [path = 'models/demo/tern-base.gguf', rowCount = '320', roundCount = '3', tokenCount = '100'] =
  process.argv.slice(2);
const rows = Number(rowCount);
const batch = { sequences: 16, batchSize: 2048, threads: 1 };
const model = await backend.load({ modelPath: resolve(path), device: 'cpu', threads: 1, onLog: () => {} });
const text = tokensOf(model);
write(`${path}: ${rows} questions of ${tokenCount} tokens`);
for (const shared of [800, 200, 64, 32, 16]) await compare(shared);
await model.close();
await backend.shutdown();

async function compare(shared: number): Promise<void> {
  const beginning = text.slice(0, shared);
  const prompts = questions(beginning);
  const context = await model.openContext({ contextSize: shared + Number(tokenCount) + 1, ...batch });
  const evaluate = async (kept: readonly number[], lengths: number) => {
    for (const wave of planWaves(Array<number>(rows).fill(lengths), context.sequences, context.batchSize)) {
      const found = await context.evaluate(
        wave.map((n) => prompts[n]!),
        kept,
      );
      if (found.some(({ kind }) => kind !== 'logits')) throw new Error('a prompt could not be evaluated');
    }
  };
  const keep = () => evaluate([...beginning], Number(tokenCount));
  const again = () => evaluate([], shared + Number(tokenCount));
  const seconds: { keep: number; again: number }[] = [];
  for (let round = 0; round < Number(roundCount); round++) {
    seconds.push({ keep: await cpuSeconds(keep), again: await cpuSeconds(again) });
  }
  const rate = (way: 'keep' | 'again') => (rows / median(seconds.map((each) => each[way]))).toFixed(1);
  const ratio = median(seconds.map((each) => each.again / each.keep)).toFixed(2);
  write(
    `${String(shared).padStart(4)} shared tokens: kept ${rate('keep')}/s, again ${rate('again')}/s, ratio ${ratio}`,
  );
}

/** Enough tokens of plain text for every beginning and question. */
function tokensOf({ tokenize }: LoadedModel): number[] {
  const sentence = (n: number) => `Question ${n}: is the number ${n * 7} larger than ${n * 5 + 12}?\nA. yes\nB. no\n`;
  return tokenize(Array.from({ length: 400 }, (_, n) => sentence(n)).join(''));
}

function questions(beginning: readonly number[]): EvaluationRow[] {
  return Array.from({ length: rows }, (_, n) => {
    const from = 800 + n;
    return { tokens: [...beginning, ...text.slice(from, from + Number(tokenCount))], optionIds: text.slice(0, 2) };
  });
}
