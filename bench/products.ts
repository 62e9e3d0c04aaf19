/**
 * Our own choice of who multiplies (`src/engine/library/products.cpp`) beside a stand-in for llama.cpp's library, on a
 * machine without a card: whether the choice is asked in its place, and what it answers.
 *
 *   npx tsx bench/products.ts
 *
 * Needs a C++ compiler and llama.cpp's headers, which `supportcal setup-cpu` or `setup-gpu` unpacks. Ends with status 1
 * where an answer is another one than llama.cpp's own list of kernels and the rule in `products.cpp` give.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { GgmlType } from 'node-llama-cpp';
import { compileCommand } from '../src/engine/library/compile-addons.js';
import { loadProducts } from '../src/engine/library/load-products.js';
import { write } from './measure.js';

interface Asker {
  ask(type: number, capability: number, tokens: number, experts: number, draws: boolean): boolean;
}

/** Types that llama.cpp has kernels of its own for, and those that it has none for. */
const WITH =
  'Q1_0 Q2_0 Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K IQ1_S IQ2_XXS IQ2_XS IQ2_S IQ3_XXS IQ3_S IQ4_NL IQ4_XS MXFP4 NVFP4';
const WITHOUT = 'F32 F16 BF16 F64 I8 I16 I32 I64 Q8_1 Q8_K IQ1_M TQ1_0 TQ2_0';
const HOPPER = 900;
const VOLTA = 700;
const RDNA4 = 0x1000000 + 0x1200;

const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-products-'));
try {
  const products = compiled('src/engine/library/products.cpp', '-fvisibility=hidden');
  const library = compiled('bench/products/library.cpp');
  const asker = compiled('bench/products/asker.cpp', library, '-Wl,-rpath,$ORIGIN');
  // As in a process that scores: first the choice, for all that are loaded afterwards.
  const choice = loadProducts(products);
  const { ask } = createRequire(import.meta.url)(asker) as Asker;
  const types = [WITH, WITHOUT].flatMap((names) => names.split(' ').map((name) => ({ name, own: names === WITH })));
  const faults = types.flatMap(({ name, own }) => faultsOf(ask, name as keyof typeof GgmlType, own));
  const asked = choice.asked();
  for (const fault of faults) write(fault);
  write(`${types.length} types, ${asked} questions, ${faults.length} wrong answers`);
  if (asked === 0 || faults.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

/** Experts and few tokens that are drawn take llama.cpp's own kernels, on NVIDIA's cards from Turing on. */
function faultsOf(ask: Asker['ask'], name: keyof typeof GgmlType, hasKernel: boolean): string[] {
  const questions = [HOPPER, VOLTA, RDNA4].flatMap((capability) =>
    [9, 96, 97, 2048].flatMap((tokens) =>
      [0, 128].flatMap((experts) => [false, true].map((draws) => ({ capability, tokens, experts, draws }))),
    ),
  );
  return questions.flatMap(({ capability, tokens, experts, draws }) => {
    const expected = hasKernel && capability === HOPPER && (experts > 0 || (draws && tokens <= 96));
    const own = ask(GgmlType[name], capability, tokens, experts, draws);
    const what = `${name}, capability ${capability}, ${tokens} tokens, ${experts} experts, draws ${draws}`;
    return own === expected ? [] : [`${what}: ${own ? "llama.cpp's own kernels" : 'cuBLAS'}`];
  });
}

function compiled(source: string, ...more: string[]): string {
  const file = path.join(folder, `${path.basename(source, '.cpp')}.node`);
  const [compiler, args] = compileCommand(new URL(`../${source}`, import.meta.url).pathname, file, more);
  execFileSync(compiler, args, { stdio: 'inherit' });
  return file;
}
