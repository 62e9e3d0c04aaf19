/**
 * Flash attention on a CPU, prompts one a pass, in turns with attention by matrix products: processor time of a row;
 * how far log-probabilities are from those with a cache in F32 and matrix products; and what moves logits with either:
 * two threads for one, a longer context, half of the prompt kept from the call before.
 *
 *   npx tsx bench/flash-attention.ts [rows=10] [questions=1] [rounds=3] MODEL.gguf ...
 *
 * Takes the build of `supportcal setup-cpu` where there is one, or the prebuilt binary (SUPPORTCAL_BUILD=prebuilt).
 */
import { basename, resolve } from 'node:path';
import { getLlama, getModuleVersion, type LlamaModel } from 'node-llama-cpp';
import { keepSamplers } from '../src/engine/library/keep-samplers.js';
import { loadReader } from '../src/engine/library/native-reader.js';
import { openLlamaContext } from '../src/engine/llama/open-llama-context.js';
import type { ContextRequest, EvaluationContext } from '../src/engine/protocol/backend.js';
import { askForBuild, readerFile } from '../src/library/chosen-build.js';
import { demoPrompts } from './demo-prompts.js';
import { median, write } from './measure.js';

interface Row {
  readonly tokens: readonly number[];
  readonly optionIds: readonly number[];
}

const OPTIONS = [5, 6, 7, 8, 100, 200, 300, 400];
const [rowCount = '10', questions = '1', roundCount = '3', ...files] = process.argv.slice(2);
const file = readerFile('cpu');
const reader = file === null ? null : loadReader(file);
const options = { gpu: false, build: 'never', skipDownload: true, progressLogs: false, maxThreads: 2 } as const;
const llama = await getLlama({ ...options, ...askForBuild('cpu') });
keepSamplers(await getModuleVersion(), llama);
for (const path of files) {
  const model = await llama.loadModel({ modelPath: resolve(path) });
  await report(basename(path, '.gguf'), model);
  await model.dispose();
}
await llama.dispose();

async function report(name: string, model: LlamaModel): Promise<void> {
  const rows = demoPrompts(Number(rowCount), Number(questions)).map(({ text }): Row => {
    return { tokens: Array.from(model.tokenize(text)) as number[], optionIds: OPTIONS };
  });
  const longest = Math.max(...rows.map(({ tokens }) => tokens.length));
  const size = 256 * Math.ceil((longest + 1) / 256);
  const open = async (more: Partial<ContextRequest>) => {
    const request: ContextRequest = {
      contextSize: size,
      sequences: 1,
      inTurn: 1,
      batchSize: 2048,
      threads: 1,
      ...more,
    };
    return await openLlamaContext(model, request, reader);
  };
  const logitsIn = async (more: Partial<ContextRequest>) => {
    const context = await open(more);
    const logits = await logitsOf(context, rows);
    await context.close?.();
    return logits;
  };
  const ways = {
    off: await open({ flashAttention: 'off' }),
    on: await open({ flashAttention: 'on' }),
    exact: await open({ flashAttention: 'off', kvType: 'f32' }),
  };
  const times: Record<'off' | 'on' | 'exact', number[]> = { off: [], on: [], exact: [] };
  for (let round = -1; round < Number(roundCount); round++)
    for (const way of ['off', 'on', 'exact'] as const) {
      const before = process.cpuUsage();
      await logitsOf(ways[way], rows);
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) times[way].push((user + system) / 1000 / rows.length);
    }
  const [off, on] = [median(times.off), median(times.on)];
  write(`${name}, ${rows.length} x ${longest} tokens${reader === null ? '' : ', our reader'}`);
  write(`  a row: off ${off.toFixed(1)} ms, on ${on.toFixed(1)} (${(on / off).toFixed(3)})`);
  for (const way of ['off', 'on'] as const) {
    const logProbs = await logitsOf(ways[way], rows, true);
    const apart = differences(logProbs, await logitsOf(ways.exact, rows, true));
    const logits = await logitsOf(ways[way], rows);
    const [two, longer] = [
      await logitsIn({ flashAttention: way, threads: 2 }),
      await logitsIn({ flashAttention: way, contextSize: 2048 }),
    ];
    const kept: number[][] = [];
    for (const row of rows) kept.push(...(await logitsOf(ways[way], [row], false, row.tokens.length >> 1)));
    const most = (others: readonly number[][]) => Math.max(...differences(logits, others)).toExponential(1);
    write(
      `  ${way}: from an F32 cache ${median(apart).toExponential(1)} (median), ${Math.max(...apart).toExponential(1)} (most); ` +
        `two threads ${most(two)}, longer context ${most(longer)}, half kept ${most(kept)}`,
    );
  }
  for (const context of Object.values(ways)) await context.close?.();
}

/** Logits of the options, or their log-probabilities, of each row by itself. */
async function logitsOf(context: EvaluationContext, rows: readonly Row[], normalised = false, kept = 0) {
  const all: number[][] = [];
  for (const row of rows) {
    const [found] = await context.evaluate([row], row.tokens.slice(0, kept));
    if (found?.kind !== 'logits') throw new Error(`a row could not be evaluated: ${found?.message}`);
    const less = normalised ? found.maxLogit + Math.log(found.totalWeight) : 0;
    all.push(found.logits.map((logit) => (logit ?? Number.NaN) - less));
  }
  return all;
}

function differences(a: readonly number[][], b: readonly number[][]): number[] {
  return a.flatMap((row, n) => row.map((value, k) => Math.abs(value - (b[n]?.[k] ?? Number.NaN))));
}
