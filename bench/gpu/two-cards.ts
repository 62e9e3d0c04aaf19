/**
 * One suite on one card and on all cards of a machine, by the clock from the first child to the last row, and whether
 * the rows are equal.
 *
 *   npx tsx bench/gpu/two-cards.ts MODEL.gguf [device=cuda] [rows=8192] [models=1] [rounds=2]
 *                                  (or bundled: see make-kit.sh, `run-on-card.sh cards`)
 *
 * WAYS=2 takes the first two ways of scoring only. WARM=0 leaves out the round of 512 rows that is not counted, for a
 * machine that has just had one; WATCH=1 says when each card and each child was at work. The digest at the end of a
 * line is that of all rows, for comparing two programs.
 *
 * Every model of the suite is the same file under another name. With several cards: card 0 alone, all of them, and the
 * model spread over the first two (`scoring: { devices: 2 }`). The last line has the ratio to the number of cards times
 * one card. With one card only, two children that both see it stand for two cards, which shows whether rows are equal
 * but not how fast two cards are; and each child's share of one model is scored alone: two cards take as long as the
 * slower share, plus what two children take from one another on the host, which this cannot show. The same holds for
 * `cpu` in place of a device, a trial of this program. A round of 512 rows comes first and is not counted.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { cpus, freemem } from 'node:os';
import { resolve } from 'node:path';
import type { Card, Device } from '../../src/contract/device.js';
import type { ExamplePrompt } from '../../src/contract/prompt.js';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import type { ModelJob } from '../../src/contract/scorer.js';
import { findCards } from '../../src/scoring/device/find-cards.js';
import { cardsNeeded } from '../../src/scoring/memory/cards-needed.js';
import { workerPlan } from '../../src/scoring/memory/worker-plan.js';
import { LLAMA_BACKEND } from '../../src/scoring/process/spawn-worker.js';
import { cardSlots } from '../../src/scoring/run/card-slots.js';
import { runModel } from '../../src/scoring/run/run-model.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { demoPrompts } from '../demo-prompts.js';
import { median, write } from '../measure.js';
import { watchCards } from './watch-cards.js';

const [path = '', gpu = 'cuda', rowCount = '8192', modelCount = '1', roundCount = '2'] = process.argv.slice(2);
const modelPath = resolve(path);
const device = gpu as Device;
const prompts = demoPrompts(Number(rowCount), 5);

type Rows = ReadonlyMap<string, string>;

interface Scored {
  readonly rows: Rows;
  readonly seconds: number;
  /** How long children were at work, together. */
  readonly shares: string;
}

const memory = { total: freemem(), free: freemem() };
// A card of the pool, which no product run has.
const processor = { device: 'cpu', index: 0, name: 'the processor', memory, visibleAs: null } as unknown as Card;
const found = device === 'cpu' ? [processor] : await findCards(device, { onFault: write });
for (const { index, name, memory, visibleAs } of found)
  write(`card ${index}: ${name}, ${((memory?.free ?? 0) / 1e9).toFixed(1)} GB free, visible as ${visibleAs}`);
const [first] = found;
if (first === undefined) throw new Error(`${device} has no card here`);
const cards = found.length > 1 ? found : [first, { ...first, index: 1 }];

type Way = (prompts: readonly ExamplePrompt[]) => Promise<Scored>;
const oneCard: Way = (asked) => score(asked, { devices: [0] });
const allCards: Way = (asked) => score(asked, {});
const allWays: Readonly<Record<string, Way>> =
  found.length > 1
    ? { 'one card': oneCard, 'all cards': allCards, 'spread over two': (asked) => score(asked, { spread: 2 }) }
    : {
        'one card': oneCard,
        'two children on one card': allCards,
        'the first share of two alone': (asked) => scoreShare(asked, 0),
        'the second share of two alone': (asked) => scoreShare(asked, 1),
      };
const ways = Object.fromEntries(Object.entries(allWays).slice(0, Number(process.env.WAYS ?? '9')));
const times = new Map<string, number[]>();
if (process.env.WARM !== '0') for (const way of Object.values(ways)) await way(prompts.slice(0, 512));
let expected: Rows | undefined;
for (let round = 1; round <= Number(roundCount); round++) {
  for (const [way, run] of Object.entries(ways)) {
    const said = process.env.WATCH === '1' ? watchCards() : () => '';
    const { rows, seconds, shares } = await run(prompts);
    const watched = said();
    expected ??= rows;
    const speed = `${(rows.size / seconds).toFixed(1)} rows/s`;
    write(
      `round ${round}, ${way}: ${seconds.toFixed(2)} s, ${speed}, ${shares}; ${difference(expected, rows)}, ${digest(rows)}`,
    );
    if (watched !== '') write(watched);
    times.set(way, [...(times.get(way) ?? []), seconds]);
  }
}
const [one = Number.NaN, all = Number.NaN, ...alone] = [...times.values()].map(median);
if (found.length > 1 && times.size > 1) write(`${(one / all / found.length).toFixed(3)} of ${found.length} x one card`);
else if (modelCount === '1' && alone.length > 0)
  write(`${(one / Math.max(...alone) / 2).toFixed(3)} of 2 x one card, the host left out`);

/** The suite in the way of the product, on all cards or some of them. */
async function score(
  asked: readonly ExamplePrompt[],
  { devices, spread }: { readonly devices?: readonly number[]; readonly spread?: number },
): Promise<Scored> {
  const rows = new Map<string, string>();
  const jobs = Array.from({ length: Number(modelCount) }, (_, m) => jobOf(m, asked, rows, spread));
  const settings = { device, cores: cpus().length, ...(devices && { devices }) };
  const started = performance.now();
  const onLog = (level: string, message: string) => level === 'error' && write(message);
  const outcomes = await scoreModels(jobs, settings, { onLog }, { cards });
  const seconds = (performance.now() - started) / 1000;
  for (const outcome of outcomes) if (outcome.kind === 'failed') throw new Error(outcome.reason);
  const inChildren = outcomes.reduce((sum, outcome) => sum + (outcome.kind === 'done' ? outcome.seconds : 0), 0);
  return { rows, seconds, shares: `${rows.size} rows, ${inChildren.toFixed(2)} s of cards` };
}

/** One child's share of the batches of the first model, with nobody beside it. */
async function scoreShare(asked: readonly ExamplePrompt[], index: number): Promise<Scored> {
  const rows = new Map<string, string>();
  const job = jobOf(0, asked, rows);
  const threads = Math.max(1, Math.floor(cpus().length / 2));
  const planOf = (planned: ModelJob) => workerPlan(planned, { threads }, device);
  const started = performance.now();
  const needed = await cardsNeeded(job, cards.slice(0, 1), { planOf, backendModule: LLAMA_BACKEND });
  if (needed.kind === 'refused') throw new Error(needed.reason);
  const slots = cardSlots(LLAMA_BACKEND, write);
  const plan = { ...planOf(job), ...needed.groups[0]?.plan, share: { index, count: 2 } };
  const slot = await slots.on(cards.slice(0, 1));
  const common = { batchSeconds: 120, signal: new AbortController().signal, events: {} };
  const outcome = await runModel({ job, plan, slot, ...common });
  await slots.end();
  const seconds = (performance.now() - started) / 1000;
  if (outcome.kind === 'failed') throw new Error(outcome.reason);
  return { rows, seconds, shares: `${rows.size} rows` };
}

function jobOf(m: number, asked: readonly ExamplePrompt[], rows: Map<string, string>, spread?: number): ModelJob {
  const onRows = async (group: readonly ScoredRow[]) => {
    for (const { id, ...scores } of group) rows.set(`${m} ${id}`, JSON.stringify(scores));
  };
  const scoring = spread === undefined ? {} : { scoring: { devices: spread } };
  return {
    model: { id: `model${m}`, role: 'base', bucket: 'bench', prompt: 'raw', ...scoring },
    place: { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size },
    jobs: [{ dataset: 'bench', prompts: asked, onRows }],
  };
}

/** A short hash of all rows, whatever the order that they came in. */
function digest(rows: Rows): string {
  const hash = createHash('sha256');
  for (const [id, text] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${id} ${text}\n`);
  return hash.digest('hex').slice(0, 12);
}

/** How many rows differ in any bit of what was read, and by how much at most. */
function difference(expected: Rows, rows: Rows): string {
  let [unequal, most] = [0, 0];
  for (const [id, other] of rows) {
    const text = expected.get(id) ?? '';
    if (other === text) continue;
    unequal += 1;
    const numbers = (json: string) => (json.match(/-?\d+(\.\d+)?(e-?\d+)?/g) ?? []).map(Number);
    for (const [n, value] of numbers(text).entries())
      most = Math.max(most, Math.abs(value - (numbers(other)[n] ?? Number.NaN)));
  }
  return unequal === 0 ? 'rows equal' : `${unequal} rows differ, by at most ${most.toExponential(1)}`;
}
