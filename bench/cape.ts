/**
 * What CAPE adds to the plain letter pass (the orders 2 to K of the options, what they begin with evaluated once; the
 * first order is the plain prompt) against K plain letter passes over the same questions.
 *
 *   npx tsx bench/cape.ts [MODEL.gguf] [rows=160] [rounds=3] [QUESTIONS] [threads=1]
 *
 * QUESTIONS: MedMCQA's dev file (one JSON object a line: question, opa to opd), of which `rows` are taken evenly; or
 * a number of words (default 60): questions of the demo's word problems after a case history of that many words, as in
 * clinical questions. Sequences and batch are those that scoring would use for the file. One process; the ways take
 * turns; a ratio is that of CPU times, the median over rounds. `all orders` evaluates the first order too: what
 * the plain pass and CAPE take together where the stems of plain prompts are kept (bench/kept-stems.ts: the whole way).
 */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { encodeJobs } from '../src/engine/encode/encode-jobs.js';
import type { ReadyPrompt } from '../src/engine/encode/encoded-prompt.js';
import { allTokens, cellsOf, firstPassTokens, laterPassTokens } from '../src/engine/encode/prompt-size.js';
import { frameModel } from '../src/engine/frame/frame-model.js';
import { backend } from '../src/engine/llama/llama-backend.js';
import type { WirePrompt } from '../src/engine/protocol/protocol.js';
import { planWaves } from '../src/engine/rows/plan-waves.js';
import { rowEvaluator } from '../src/engine/rows/row-evaluator.js';
import { evaluationShape } from '../src/scoring/memory/evaluation-shape.js';
import { cpuSeconds, median, write } from './measure.js';
import { ordersOf } from './medmcqa-orders.js';

const [path = 'models/demo/tern-base.gguf', rowCount = '160', roundCount = '3', source = '60', threadCount = '1'] =
  process.argv.slice(2);
const threads = Number(threadCount);
const bytes = statSync(resolve(path)).size;
const { sequences, batchSize } = evaluationShape(bytes, 'cpu');
const prompts = questions(Number(rowCount));

const model = await backend.load({ modelPath: resolve(path), device: 'cpu', threads, onLog: () => {} });
const framing = frameModel({ prompt: 'raw', bos: 'auto' }, model);
const others = prompts.map((prompt) => ({ ...prompt, rotations: prompt.rotations!.slice(1) }));
const { jobs } = await encodeJobs([prompts.map(plain), others, prompts], [], framing, {
  tokenize: model.tokenize,
});
const [letters, added, all] = jobs.map((job) => job.flatMap((each) => (each.kind === 'refused' ? [] : [each])));
const contextSize = Math.max(...jobs.flat().map((each) => (each.kind === 'refused' ? 0 : cellsOf(each)))) + 1;
const context = await model.openContext({ contextSize, sequences, batchSize, threads });
const WAYS = { plain: letters!, 'cape adds': added!, 'all orders': all! };
type Way = keyof typeof WAYS;
const names = Object.keys(WAYS) as Way[];
const passes = new Map(names.map((way) => [way, passOver(WAYS[way])]));
const options = prompts.reduce((sum, { continuations }) => sum + continuations.length, 0) / prompts.length;

const seconds: Record<Way, number[]> = { plain: [], 'cape adds': [], 'all orders': [] };
await passes.get('plain')!();
for (let round = 0; round < Number(roundCount); round++)
  for (const way of names) seconds[way].push(await cpuSeconds(passes.get(way)!));
await model.close();
await backend.shutdown();

const tokens = (way: Way) => WAYS[way].reduce((sum, row) => sum + allTokens(row), 0);
const stems = all!.reduce((sum, row) => sum + row.tokens.length, 0);
const share = (stems / tokens('plain')).toFixed(2);
write(
  `${path}: ${prompts.length} questions, K = ${options.toFixed(1)}, stem ${share} of a prompt, ${sequences} sequences`,
);
for (const way of names)
  write(`${way.padEnd(10)} ${tokens(way)} tokens, ${median(seconds[way]).toFixed(2)} CPU seconds`);
const plainTokens = tokens('plain');
report('CAPE adds / (K x plain)', (plainCost, capeCost) => capeCost / (options * plainCost));
report('(plain + CAPE adds) / (K x plain)', (plainCost, capeCost) => (plainCost + capeCost) / (options * plainCost));
report(
  '(plain + CAPE adds) / ((1 + K) x plain)',
  (plainCost, capeCost) => (plainCost + capeCost) / ((1 + options) * plainCost),
);
write(
  `plain + CAPE with kept stems / (K x plain): ${(tokens('all orders') / (options * plainTokens)).toFixed(3)} tokens, ` +
    `${ofTimes((n) => seconds['all orders'][n]! / (options * seconds.plain[n]!))} CPU time`,
);

function report(name: string, ratio: (plainCost: number, capeCost: number) => number): void {
  const byTokens = ratio(plainTokens, tokens('cape adds')).toFixed(3);
  write(`${name}: ${byTokens} tokens, ${ofTimes((n) => ratio(seconds.plain[n]!, seconds['cape adds'][n]!))} CPU time`);
}

/** Median over the rounds. */
function ofTimes(ratio: (round: number) => number): string {
  return median(seconds.plain.map((_, n) => ratio(n))).toFixed(3);
}

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
    return ordersOf(`q${n}`, question, texts);
  });
}

/** Words of other questions, another text for every row. */
function history(lines: readonly string[], n: number, words: number): string {
  const texts = Array.from({ length: 12 }, (_, k) => JSON.parse(lines[(7 * n + k) % lines.length]!).question as string);
  return texts.join(' ').split(' ').slice(0, words).join(' ');
}
