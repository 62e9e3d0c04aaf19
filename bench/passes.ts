/**
 * Prompts evaluated through the build of `supportcal setup-cpu` in turns: read by the library, by our own reader, and
 * evaluated by it as well. Processor time and time by the clock of a row, and whether every row has the same bits.
 *
 *   npx tsx bench/passes.ts MODEL.gguf [rows=48] [rounds=3] [kept words=0] [turns=1] [together=1] [KIND=letters]
 *     [sequences=0]
 *
 * Prompts are evaluated one a pass, as scoring has them on a CPU. A context more than turns, each with a thread, takes
 * rows from one list. With `kept words` all prompts begin with as many, which the sequences keep. Of files whose bits
 * do not tell, so many as are `together` may share a pass. KIND: letters, texts (four options each) or orders (four
 * prompts that branch from one stem). With `sequences` so many prompts share their passes, as they do on a card.
 * LORA=FILE in the environment adds an adapter, at 20 times its scale.
 */
import { basename, resolve } from 'node:path';
import { getLlama, getModuleVersion } from 'node-llama-cpp';
import { keepSamplers } from '../src/engine/library/keep-samplers.js';
import { loadReader, type NativeReader } from '../src/engine/library/native-reader.js';
import { openLlamaContext } from '../src/engine/llama/open-llama-context.js';
import type { EvaluationContext } from '../src/engine/protocol/backend.js';
import { askForBuild, readerFile } from '../src/library/chosen-build.js';
import { demoPrompts } from './demo-prompts.js';
import { median, write } from './measure.js';

const [path = '', rowCount = '48', rounds = '3', words = '0', turnCount = '1', togetherCount = '1', ...more] =
  process.argv.slice(2);
const [kind = 'letters', sequenceCount = '0'] = more;
const sequences = Number(sequenceCount);
const [turns, together] = [Number(turnCount), sequences || Number(togetherCount)];
const file = readerFile('cpu');
if (file === null) throw new Error('no build of `supportcal setup-cpu` with a reader is on record');
const options = { gpu: false, build: 'never', skipDownload: true, progressLogs: false, maxThreads: turns } as const;
const llama = await getLlama({ ...options, ...askForBuild('cpu') });
keepSamplers(await getModuleVersion(), llama);
const model = await llama.loadModel({ modelPath: resolve(path) });
const whole = loadReader(file);
const { evaluatePasses: _, ...readsOnly } = whole;
const ways: Readonly<Record<string, NativeReader | null>> = { library: null, read: readsOnly, evaluated: whole };
const shared = idsOf(Array.from({ length: Number(words) }, (_, n) => `word${n % 7}`).join(' '));
const rows = demoPrompts(Number(rowCount), 1).map(({ text }) => ({
  tokens: [...shared, ...idsOf(text)],
  optionIds: [5, 6, 7, 8],
}));
/** What is asked after each prompt: four texts, two of which begin alike, or four tails of the prompt. */
const continuations = [[5, 6, 7], [5, 6, 8, 9], [10], [11, 12]];
const texts = rows.map(({ tokens }) => ({ tokens, continuations }));
const orders = rows.map(({ tokens, optionIds }) => {
  const at = Math.max(shared.length + 1, Math.floor(tokens.length / 2));
  const rest = tokens.slice(at);
  const tails = rest.slice(0, 4).map((_, n) => ({ tokens: [...rest.slice(n), ...rest.slice(0, n)], optionIds }));
  return { tokens: tokens.slice(0, at), tails };
});
const contexts = new Map<string, readonly EvaluationContext[]>();
for (const [name, reader] of Object.entries(ways)) contexts.set(name, await open(reader));
const taken = new Map(Object.keys(ways).map((name) => [name, { cpu: [] as number[], wall: [] as number[] }]));
const logits = new Map<string, string>();
for (let round = -1; round < Number(rounds); round++)
  for (const [name, each] of contexts) {
    const [started, before] = [performance.now(), process.cpuUsage()];
    const found = await evaluateAll(each);
    const { user, system } = process.cpuUsage(before);
    logits.set(name, JSON.stringify(found.map(numbersOf)));
    if (round < 0) continue;
    taken.get(name)?.cpu.push((user + system) / 1000 / rows.length);
    taken.get(name)?.wall.push((performance.now() - started) / rows.length);
  }
const length = Math.round(rows.reduce((sum, { tokens }) => sum + tokens.length, 0) / rows.length);
write(`${basename(path, '.gguf')}, ${rows.length} x ${length} tokens, ${shared.length} kept, ${turns} at a time`);
for (const [name, { cpu, wall }] of taken)
  write(`  ${name}: ${median(cpu).toFixed(2)} ms of processor time a row, ${median(wall).toFixed(2)} by the clock`);
// Log-probabilities of texts need the sum over the vocabulary, which the library has in float32.
if (kind === 'texts') logits.delete('library');
write(
  `  rows of the same bits (${[...logits.keys()].join(', ')}): ${new Set(logits.values()).size === 1 ? 'all' : 'NOT ALL'}`,
);
for (const each of contexts.values()) for (const context of each) await context.close?.();
await model.dispose();
await llama.dispose();

function idsOf(text: string): number[] {
  return text === '' ? [] : (Array.from(model.tokenize(text)) as number[]);
}

async function open(reader: NativeReader | null): Promise<readonly EvaluationContext[]> {
  const size = 256 * Math.ceil((shared.length + 250) / 256);
  const inTurn = sequences > 0 ? {} : { inTurn: together };
  const adapter = process.env.LORA;
  const lora = adapter === undefined ? {} : { lora: [{ path: resolve(adapter), sha256: '', scale: 20 }] };
  const request = { contextSize: size, sequences: together, ...inTurn, batchSize: 2048, threads: 1, ...lora } as const;
  return await Promise.all(Array.from({ length: turns + 1 }, () => openLlamaContext(model, request, reader)));
}

async function evaluateAll(each: readonly EvaluationContext[]) {
  const left = Array.from({ length: Math.ceil(rows.length / together) }, (_, n) => n);
  const found: Found[][] = [];
  const work = async (context: EvaluationContext) => {
    for (let n = left.shift(); n !== undefined; n = left.shift())
      found[n] = await evaluateSome(context, n * together, (n + 1) * together);
  };
  await Promise.all(each.map(work));
  return found.flat();
}

type Found = Awaited<ReturnType<EvaluationContext['evaluate' | 'evaluateTexts' | 'evaluateTails']>>[number];

async function evaluateSome(context: EvaluationContext, from: number, to: number): Promise<Found[]> {
  if (kind === 'texts') return await context.evaluateTexts(texts.slice(from, to), shared);
  if (kind === 'orders') return await context.evaluateTails(orders.slice(from, to), shared);
  return await context.evaluate(rows.slice(from, to), shared);
}

function numbersOf(found: Found): unknown {
  if (found.kind === 'logits') return found.logits;
  if (found.kind === 'readings') return found.readings.map(({ logits, maxLogit }) => [logits, maxLogit]);
  return found;
}
