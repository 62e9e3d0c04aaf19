/**
 * What a model divided among several children costs beside the work of the cards: processor seconds of each child and
 * of their parent, with prompts of some 170 tokens, a real vocabulary and children that evaluate nothing
 * (`scale/vocabulary-backend.ts`).
 *
 *   npx tsx bench/division.ts MODEL_OR_VOCABULARY.gguf [rows=8192] [children=1,2] [rounds=1]
 *
 * A child says how many characters it has tokenised and what processor time it has taken from the load of its
 * vocabulary on, when all prompts are tokenised and at its end. Beside the tokenising the file is loaded once more, in
 * the place of the weights. The rows of all are compared with those of one child.
 */
import { resolve } from 'node:path';
import type { Card } from '../src/contract/device.js';
import type { ModelJob } from '../src/contract/scorer.js';
import { scoreModels } from '../src/scoring/score-models.js';
import { demoPrompts } from './demo-prompts.js';
import { cpuSeconds, write } from './measure.js';

const [path = '', rowCount = '8192', childCounts = '1,2', roundCount = '1'] = process.argv.slice(2);
const backendModule = new URL('./scale/vocabulary-backend.ts', import.meta.url).href;
const prompts = demoPrompts(Number(rowCount), 5);

async function scored(children: number): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string>();
  const job: ModelJob = {
    model: { id: 'model', role: 'base', bucket: 'bench', prompt: 'raw' },
    place: { kind: 'gguf', path: resolve(path), bytes: 2 ** 33 },
    jobs: [
      {
        dataset: 'bench',
        prompts,
        onRows: async (group) => {
          for (const { id, ...scores } of group) rows.set(id, JSON.stringify(scores));
        },
      },
    ],
  };
  const memory = { total: 80e9, free: 80e9 };
  const cards = Array.from(
    { length: Math.max(2, children) },
    (_, index): Card => ({ device: 'cuda', index, name: 'none', memory, visibleAs: String(index) }),
  );
  const devices = Array.from({ length: children }, (_, index) => index);
  const settings = { device: 'cuda' as const, cores: children, devices };
  const onLog = (_: string, line: string) => line.startsWith('worker: child') && write(`  ${line.slice(8)}`);
  const [outcome] = await scoreModels([job], settings, { onLog }, { backendModule, cards, answers: async () => true });
  if (outcome?.kind !== 'done') throw new Error(outcome?.reason ?? 'nothing was scored');
  return rows;
}

let expected: ReadonlyMap<string, string> | undefined;
for (let round = 1; round <= Number(roundCount); round++) {
  for (const children of childCounts.split(',').map(Number)) {
    let rows: ReadonlyMap<string, string> = new Map();
    const started = performance.now();
    write(`round ${round}, ${children} children, ${prompts.length} rows:`);
    const seconds = await cpuSeconds(async () => {
      rows = await scored(children);
    });
    expected ??= rows;
    const unequal = [...expected].filter(([id, row]) => rows.get(id) !== row).length;
    const clock = ((performance.now() - started) / 1000).toFixed(2);
    write(`  parent: ${seconds.toFixed(2)} s of processor time, ${clock} s by the clock; ${unequal} rows differ`);
  }
}
