/**
 * One suite on one card and on all cards of a machine, by the clock from the first child to the last row, and whether
 * the rows are equal.
 *
 *   npx tsx bench/gpu/two-cards.ts MODEL.gguf [device=cuda] [rows=8192] [models=1] [rounds=2]
 *                                  (or bundled: see make-kit.sh, `run-on-card.sh cards`)
 *
 * Every model of the suite is the same file under another name. With several cards: card 0 alone, all of them, and the
 * model spread over the first two (`scoring: { devices: 2 }`). With one card only, its rows are divided between two
 * children that both see it: that says nothing of speed, and shows whether a row has the same bits in whatever range it
 * is scored. The first round is not counted. The last line has the ratio to the number of cards times one card.
 */
import { statSync } from 'node:fs';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import type { Card, Device } from '../../src/contract/device.js';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import type { ModelJob } from '../../src/contract/scorer.js';
import { findCards } from '../../src/scoring/device/find-cards.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { demoPrompts } from '../demo-prompts.js';
import { median, write } from '../measure.js';

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

const found = await findCards(device, { onFault: write });
for (const { index, name, memory, visibleAs } of found)
  write(`card ${index}: ${name}, ${((memory?.free ?? 0) / 1e9).toFixed(1)} GB free, visible as ${visibleAs}`);
const [first] = found;
if (first === undefined) throw new Error(`${device} has no card here`);
const halves = [first, { ...first, index: 1 }].map((card): Card => ({ ...card, visibleAs: first.visibleAs ?? '0' }));
const cards = found.length > 1 ? found : halves;

const ways: Readonly<Record<string, () => Promise<Scored>>> = {
  'one card': () => score(cards, [0]),
  [found.length > 1 ? `${found.length} cards` : 'two children on one card']: () => score(cards),
  ...(found.length > 1 && { 'spread over two': () => score(cards, [0, 1], 2) }),
};
const times = new Map<string, number[]>();
let expected: Rows | undefined;
for (let round = 0; round <= Number(roundCount); round++) {
  for (const [way, run] of Object.entries(ways)) {
    const { rows, seconds, shares } = await run();
    expected ??= rows;
    write(`round ${round}, ${way}: ${seconds.toFixed(2)} s, ${shares}; ${difference(expected, rows)}`);
    if (round > 0) times.set(way, [...(times.get(way) ?? []), seconds]);
  }
}
const [one = Number.NaN, all = Number.NaN] = [...times.values()].map(median);
if (found.length > 1) write(`${(one / all / found.length).toFixed(3)} of ${found.length} x one card`);

async function score(on: readonly Card[], devices?: readonly number[], spread?: number): Promise<Scored> {
  const rows = new Map<string, string>();
  const jobs = Array.from({ length: Number(modelCount) }, (_, m): ModelJob => {
    const onRows = async (group: readonly ScoredRow[]) => {
      for (const { id, ...scores } of group) rows.set(`${m} ${id}`, JSON.stringify(scores));
    };
    const scoring = spread === undefined ? {} : { scoring: { devices: spread } };
    return {
      model: { id: `model${m}`, role: 'base', bucket: 'bench', prompt: 'raw', ...scoring },
      place: { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size },
      jobs: [{ dataset: 'bench', prompts, onRows }],
    };
  });
  const settings = { device, cores: cpus().length, ...(devices && { devices }) };
  const started = performance.now();
  const onLog = (level: string, message: string) => level === 'error' && write(message);
  const outcomes = await scoreModels(jobs, settings, { onLog }, { cards: on });
  const seconds = (performance.now() - started) / 1000;
  for (const outcome of outcomes) if (outcome.kind === 'failed') throw new Error(outcome.reason);
  const inChildren = outcomes.reduce((sum, outcome) => sum + (outcome.kind === 'done' ? outcome.seconds : 0), 0);
  return { rows, seconds, shares: `${rows.size} rows, ${inChildren.toFixed(2)} s of cards` };
}

/** How many rows differ in any bit of what was read, and by how much at most. */
function difference(expected: Rows, rows: Rows): string {
  let [unequal, most] = [0, 0];
  for (const [id, text] of expected) {
    const other = rows.get(id) ?? '';
    if (other === text) continue;
    unequal += 1;
    const numbers = (json: string) => (json.match(/-?\d+(\.\d+)?(e-?\d+)?/g) ?? []).map(Number);
    for (const [n, value] of numbers(text).entries())
      most = Math.max(most, Math.abs(value - (numbers(other)[n] ?? Number.NaN)));
  }
  return unequal === 0 ? 'rows equal' : `${unequal} rows differ, by at most ${most.toExponential(1)}`;
}
