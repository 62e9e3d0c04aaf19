/**
 * Prompts evaluated one a pass through the build of `supportcal setup-cpu`, as scoring has them on a CPU, in turns:
 * read by the library, by our own reader, and evaluated by it as well. Processor time and time by the clock of a row,
 * and whether every row has the same bits.
 *
 *   npx tsx bench/passes.ts MODEL.gguf [rows=48] [rounds=3] [kept words=0] [turns=1] [together=1]
 *
 * A context more than turns, each with a thread, takes rows from one list. With `kept words` all prompts begin with as
 * many, which the sequences keep. Of files whose bits do not tell, so many as are `together` may share a pass.
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

const [path = '', rowCount = '48', rounds = '3', words = '0', turnCount = '1', togetherCount = '1'] =
  process.argv.slice(2);
const [turns, together] = [Number(turnCount), Number(togetherCount)];
const file = readerFile('cpu');
if (file === null) throw new Error('no build of `supportcal setup-cpu` with a reader is on record');
const options = { gpu: false, build: 'never', skipDownload: true, progressLogs: false, maxThreads: turns } as const;
const llama = await getLlama({ ...options, ...askForBuild('cpu') });
keepSamplers(await getModuleVersion(), llama);
const model = await llama.loadModel({ modelPath: resolve(path) });
const whole = loadReader(file);
const { evaluate: _, ...readsOnly } = whole;
const ways: Readonly<Record<string, NativeReader | null>> = { library: null, read: readsOnly, evaluated: whole };
const shared = idsOf(Array.from({ length: Number(words) }, (_, n) => `word${n % 7}`).join(' '));
const rows = demoPrompts(Number(rowCount), 1).map(({ text }) => ({
  tokens: [...shared, ...idsOf(text)],
  optionIds: [5, 6, 7, 8],
}));
const contexts = new Map<string, readonly EvaluationContext[]>();
for (const [name, reader] of Object.entries(ways)) contexts.set(name, await open(reader));
const taken = new Map(Object.keys(ways).map((name) => [name, { cpu: [] as number[], wall: [] as number[] }]));
const logits = new Map<string, string>();
for (let round = -1; round < Number(rounds); round++)
  for (const [name, each] of contexts) {
    const [started, before] = [performance.now(), process.cpuUsage()];
    const found = await evaluateAll(each);
    const { user, system } = process.cpuUsage(before);
    logits.set(name, JSON.stringify(found.map(({ kind, ...rest }) => ('logits' in rest ? rest.logits : kind))));
    if (round < 0) continue;
    taken.get(name)?.cpu.push((user + system) / 1000 / rows.length);
    taken.get(name)?.wall.push((performance.now() - started) / rows.length);
  }
const length = Math.round(rows.reduce((sum, { tokens }) => sum + tokens.length, 0) / rows.length);
write(`${basename(path, '.gguf')}, ${rows.length} x ${length} tokens, ${shared.length} kept, ${turns} at a time`);
for (const [name, { cpu, wall }] of taken)
  write(`  ${name}: ${median(cpu).toFixed(2)} ms of processor time a row, ${median(wall).toFixed(2)} by the clock`);
write(`  rows of the same bits: ${[...new Set(logits.values())].length === 1 ? 'all' : 'NOT ALL'}`);
for (const each of contexts.values()) for (const context of each) await context.close?.();
await model.dispose();
await llama.dispose();

function idsOf(text: string): number[] {
  return text === '' ? [] : (Array.from(model.tokenize(text)) as number[]);
}

async function open(reader: NativeReader | null): Promise<readonly EvaluationContext[]> {
  const size = 256 * Math.ceil((shared.length + 250) / 256);
  const request = { contextSize: size, sequences: together, inTurn: together, batchSize: 2048, threads: 1 } as const;
  return await Promise.all(Array.from({ length: turns + 1 }, () => openLlamaContext(model, request, reader)));
}

async function evaluateAll(each: readonly EvaluationContext[]) {
  const left = Array.from({ length: Math.ceil(rows.length / together) }, (_, n) => n);
  const found: Awaited<ReturnType<EvaluationContext['evaluate']>>[] = [];
  const work = async (context: EvaluationContext) => {
    for (let n = left.shift(); n !== undefined; n = left.shift())
      found[n] = await context.evaluate(rows.slice(n * together, (n + 1) * together), shared);
  };
  await Promise.all(each.map(work));
  return found.flat();
}
