/**
 * A CAPE pass (every cyclic order of the K options, what they begin with evaluated once) against K plain letter passes
 * over the same questions.
 *
 *   npx tsx bench/cape.ts [MODEL.gguf] [rows=160] [rounds=3] [QUESTIONS] [threads=1]
 *
 * QUESTIONS: MedMCQA's dev file (one JSON object a line: question, opa to opd), of which `rows` are taken evenly; or
 * a number of words (default 60): questions of the demo's word problems after a case history of that many words, as in
 * clinical questions. Sequences and batch are those that scoring would use for the file. One process; the ways take turns;
 * a ratio is that of CPU times, the median over rounds. `rotations as prompts` are the K orders as K prompts of their own.
 */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { encodeJobs, type ReadyPrompt } from '../src/engine/encode-jobs.js';
import { frameModel } from '../src/engine/frame-model.js';
import { backend } from '../src/engine/llama/llama-backend.js';
import { planWaves } from '../src/engine/plan-waves.js';
import { allTokens, cellsOf, firstPassTokens, laterPassTokens } from '../src/engine/prompt-size.js';
import type { WirePrompt } from '../src/engine/protocol.js';
import { rowEvaluator } from '../src/engine/row-evaluator.js';
import { planSlots } from '../src/scoring/plan-slots.js';
import { cpuSeconds, median, write } from './measure.js';

const [path = 'models/demo/tern-base.gguf', rowCount = '160', roundCount = '3', source = '60', threadCount = '1'] =
  process.argv.slice(2);
const threads = Number(threadCount);
const bytes = statSync(resolve(path)).size;
const machine = { backend: 'cpu' as const, cores: threads, memoryBytes: 64e9 };
const { sequences, batchSize } = planSlots([{ id: 'm', bytes }], machine)[0]!;
const prompts = questions(Number(rowCount));

const model = await backend.load({ modelPath: resolve(path), backend: 'cpu', threads, onLog: () => {} });
const framing = frameModel({ prompt: 'raw', bos: 'auto' }, model);
const jobs = encodeJobs([prompts.map(plain), prompts, prompts.flatMap(asPrompts)], [], framing, model.tokenize).jobs;
const [letters, rotated, unshared] = jobs.map((job) => job.flatMap((each) => (each.kind === 'refused' ? [] : [each])));
const contextSize = Math.max(...jobs.flat().map((each) => (each.kind === 'refused' ? 0 : cellsOf(each)))) + 1;
const context = await model.openContext({ contextSize, sequences, batchSize, threads });
const ways = { plain: passOver(letters!), cape: passOver(rotated!), prompts: passOver(unshared!) };
const options = prompts.reduce((sum, { continuations }) => sum + continuations.length, 0) / prompts.length;

const seconds: Record<keyof typeof ways, number[]> = { plain: [], cape: [], prompts: [] };
await ways.plain();
for (let round = 0; round < Number(roundCount); round++)
  for (const way of ['plain', 'cape', 'prompts'] as const) seconds[way].push(await cpuSeconds(ways[way]));
await model.close();
await backend.shutdown();

const tokens = (rows: readonly ReadyPrompt[]) => rows.reduce((sum, row) => sum + allTokens(row), 0);
const stems = rotated!.reduce((sum, row) => sum + row.tokens.length, 0);
const share = (stems / tokens(letters!)).toFixed(2);
write(
  `${path}: ${prompts.length} questions, K = ${options.toFixed(1)}, stem ${share} of a prompt, ${sequences} sequences`,
);
for (const [way, rows] of [
  ['plain', letters!],
  ['cape', rotated!],
  ['prompts', unshared!],
] as const)
  write(`${way.padEnd(8)} ${tokens(rows)} tokens, ${median(seconds[way]).toFixed(2)} CPU seconds`);
const ratioTo = (way: 'plain' | 'prompts', times: number) =>
  median(seconds.cape.map((each, n) => each / (times * seconds[way][n]!))).toFixed(3);
write(`tokens: CAPE / (K x plain) = ${(tokens(rotated!) / tokens(unshared!)).toFixed(3)}`);
write(
  `CPU time: CAPE / (K x plain) = ${ratioTo('plain', options)}, CAPE / rotations as prompts = ${ratioTo('prompts', 1)}`,
);

function passOver(rows: readonly ReadyPrompt[]): () => Promise<void> {
  const evaluate = rowEvaluator(rows);
  const waves = planWaves(rows.map(firstPassTokens), sequences, batchSize, rows.map(laterPassTokens));
  return async () => {
    for (const wave of waves) {
      const scored = await evaluate(
        context,
        wave.map((n) => rows[n]!),
        [],
      );
      if (scored.some(({ status }) => status !== 'ok')) throw new Error('a prompt could not be evaluated');
    }
  };
}

function plain({ id, text, continuations }: WirePrompt): WirePrompt {
  return { id, text, continuations, mode: 'letter', answerPrefix: null };
}

function asPrompts({ id, rotations = [] }: WirePrompt): WirePrompt[] {
  return rotations.map((rotation, r) => ({ ...rotation, id: `${id} ${r}`, mode: 'letter', answerPrefix: null }));
}

function questions(count: number): WirePrompt[] {
  const words = Number(source);
  const demo = new URL('../datasets/demo-arithmetic.jsonl', import.meta.url);
  const lines = readFileSync(Number.isNaN(words) ? resolve(source) : demo, 'utf8')
    .trim()
    .split('\n');
  return Array.from({ length: count }, (_, n) => {
    const row = JSON.parse(lines[Math.floor((n * lines.length) / count)]!) as Record<string, unknown>;
    const question = Number.isNaN(words) ? String(row.question) : `${history(lines, n, words)} ${row.question}`;
    const texts = (row.options as string[] | undefined) ?? [row.opa, row.opb, row.opc, row.opd].map(String);
    const rotations = texts.map((_, r) => {
      const shown = texts.map((_, p) => `${'ABCDE'[p]}. ${texts[(p + r) % texts.length]}`);
      const continuations = texts.map((_, k) => 'ABCDE'[(k - r + texts.length) % texts.length]!);
      return { text: `Question: ${question}\n${shown.join('\n')}\nAnswer:`, continuations };
    });
    return { id: `q${n}`, ...rotations[0]!, mode: 'rotations', rotations, answerPrefix: null };
  });
}

/** Words of other questions, another text for every row. */
function history(lines: readonly string[], n: number, words: number): string {
  const texts = Array.from({ length: 12 }, (_, k) => JSON.parse(lines[(7 * n + k) % lines.length]!).question as string);
  return texts.join(' ').split(' ').slice(0, words).join(' ');
}
