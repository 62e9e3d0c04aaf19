/**
 * What a child does before its first rows, by the clock of its parent: from the messages that it sends anyway.
 *
 *   npx tsx bench/gpu/start-of-child.ts MODEL.gguf [device=cuda] [rows=8192] [children=2] [rounds=2]
 *                                       (or bundled: see make-kit.sh, `run-on-card.sh start`)
 *
 * `children` of them start together and share the batches of one model, as on so many cards; here all see one card, so
 * that times up to the first batch are those of a card each, except for what they take from one another. A round with
 * one child comes before each.
 */
import { statSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import type { Device } from '../../src/contract/device.js';
import type { ModelJob } from '../../src/contract/scorer.js';
import type { FromWorker } from '../../src/engine/protocol/protocol.js';
import { findCards } from '../../src/scoring/device/find-cards.js';
import { workerPlan } from '../../src/scoring/memory/worker-plan.js';
import { LLAMA_BACKEND } from '../../src/scoring/process/spawn-worker.js';
import { workerSlot } from '../../src/scoring/process/worker-slot.js';
import { runModel } from '../../src/scoring/run/run-model.js';
import { demoPrompts } from '../demo-prompts.js';
import { write } from '../measure.js';

const [path = '', gpu = 'cuda', rowCount = '8192', childCount = '2', roundCount = '2'] = process.argv.slice(2);
const device = gpu as Device;
const modelPath = resolve(path);
const prompts = demoPrompts(Number(rowCount), 5);

/** Steps of a child in their order, each named by the message that ends it. */
const STEPS = ['process', 'load', 'tokenise', 'contexts', 'first batch', 'rest', 'unload'] as const;
type Step = (typeof STEPS)[number];

/** Seconds from the start of a child to the end of each step. */
type Timeline = Partial<Record<Step, number>>;

const begun = performance.now();
const cards = await findCards(device);
write(`looking for cards: ${((performance.now() - begun) / 1000).toFixed(2)} s, ${cards.length} found`);
for (let round = 1; round <= Number(roundCount); round++) {
  for (const count of [1, Number(childCount)]) {
    const lines = await Promise.all(Array.from({ length: count }, (_, index) => child(index, count)));
    for (const [index, line] of lines.entries()) write(`round ${round}, child ${index + 1} of ${count}: ${say(line)}`);
  }
}

/** One child that scores its share of the batches. */
async function child(index: number, count: number): Promise<Timeline> {
  const job: ModelJob = {
    model: { id: 'model', role: 'base', bucket: 'bench', prompt: 'raw' },
    place: { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size },
    jobs: [{ dataset: 'bench', prompts, onRows: async () => {} }],
  };
  const planned = workerPlan(job, { threads: Math.max(1, Math.floor(cpus().length / count)) }, device);
  const plan = { ...planned, ...(count > 1 && { share: { index, count } }) };
  const slot = workerSlot(LLAMA_BACKEND, device !== 'cpu', write);
  const started = performance.now();
  const times: Timeline = {};
  const end = (step: Step) => {
    times[step] ??= (performance.now() - started) / 1000;
  };
  let last = 0;
  slot.take().child.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') end('process');
    if (message.kind === 'progress' && message.what.startsWith('tokenising')) end('load');
    if (message.kind === 'progress' && message.what.startsWith('opening')) end('tokenise');
    if (message.kind === 'batch') end('contexts');
    if (message.kind === 'rows') {
      end('first batch');
      last = (performance.now() - started) / 1000;
    }
  });
  const common = { batchSeconds: 120, signal: new AbortController().signal, events: {} };
  const outcome = await runModel({ job, plan, slot, ...common });
  times.rest = last;
  end('unload');
  await slot.end();
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  return times;
}

/** What each step took. The first 500 prompts are tokenised before a child says so: they count as load. */
function say(times: Timeline): string {
  let before = 0;
  const steps = STEPS.map((step) => {
    const at = times[step] ?? before;
    const text = `${step} ${(at - before).toFixed(2)}`;
    before = at;
    return text;
  });
  return `${steps.join(', ')}; ${before.toFixed(2)} s in all, ${(times['first batch'] ?? 0).toFixed(2)} s to the first rows`;
}
