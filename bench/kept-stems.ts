/**
 * What a stem that stays from the plain prompt saves CAPE, through the whole way with its child process: the same
 * questions scored plain and under the orders 2 to K, in two runs that keep stems or do not, and whether their rows are
 * equal to the last bit.
 *
 *   npx tsx bench/kept-stems.ts MODEL.gguf QUESTIONS [rows=48] [rounds=2]
 *
 * QUESTIONS: MedMCQA's dev file (one JSON object a line: question, opa to opd), of which `rows` are taken evenly. The
 * ways take turns. CPU seconds are those of the child, load and tokenising included.
 */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { withFirstOrder } from '../src/contract/first-order.js';
import type { ExamplePrompt } from '../src/contract/prompt.js';
import type { ScoredRow } from '../src/contract/scored-row.js';
import type { ScoringJob } from '../src/contract/scorer.js';
import { scoreModels } from '../src/scoring/score-models.js';
import { median, write } from './measure.js';
import { medmcqaOrders } from './medmcqa-orders.js';

const [path = '', file = '', rowCount = '48', roundCount = '2'] = process.argv.slice(2);
const modelPath = resolve(path);
const prompts = medmcqaOrders(resolve(file), Number(rowCount));
const cost: Record<'apart' | 'kept', { tokens: number[]; seconds: number[] }> = {
  apart: { tokens: [], seconds: [] },
  kept: { tokens: [], seconds: [] },
};
let [equalPlain, equalOrders] = [0, 0];
for (let round = 0; round < Number(roundCount); round++) {
  const apart = await score('apart');
  const kept = await score('kept');
  equalPlain = prompts.filter(({ id }) => same(apart.plain.get(id), kept.plain.get(id))).length;
  equalOrders = prompts.filter(({ id }) => same(whole(apart, id), whole(kept, id))).length;
}
const all = prompts.length;
write(`${path}: ${all} questions, ${equalPlain} plain rows and ${equalOrders} rows of orders equal to the last bit`);
for (const [way, { tokens, seconds }] of Object.entries(cost))
  write(`${way.padEnd(5)} ${tokens.at(-1)} tokens, CPU seconds ${seconds.map((each) => each.toFixed(2)).join(', ')}`);
const share = (key: 'tokens' | 'seconds') => (median(cost.kept[key]) / median(cost.apart[key])).toFixed(3);
write(`kept / apart: ${share('tokens')} tokens, ${share('seconds')} CPU seconds`);

interface Found {
  readonly plain: Map<string, ScoredRow>;
  readonly orders: Map<string, ScoredRow>;
}

async function score(way: 'apart' | 'kept'): Promise<Found> {
  const found: Found = { plain: new Map(), orders: new Map() };
  const letters = prompts.map(({ rotations: _, ...prompt }): ExamplePrompt => ({ ...prompt, mode: 'letter' }));
  const others = prompts.map((prompt) => ({ ...prompt, rotations: prompt.rotations!.slice(1) }));
  const job = (
    asked: readonly ExamplePrompt[],
    rows: Map<string, ScoredRow>,
    asks: ScoringJob['asks'],
  ): ScoringJob => ({
    dataset: 'd',
    prompts: asked,
    ...(way === 'kept' && asks !== undefined && { asks }),
    onRows: async (fresh) => {
      for (const row of fresh) rows.set(row.id, row);
    },
  });
  const jobs = [job(letters, found.plain, 'plain'), job(others, found.orders, 'other-orders')];
  const model = { id: way, role: 'base', bucket: 'bench', prompt: 'raw' } as const;
  const place = { kind: 'gguf', path: modelPath, bytes: statSync(modelPath).size } as const;
  const before = childSeconds();
  const [outcome] = await scoreModels([{ model, place, jobs }], { device: 'cpu', cores: 1 }, {});
  if (outcome?.kind !== 'done') throw new Error(outcome?.reason ?? 'nothing came');
  cost[way].tokens.push(outcome.tokens);
  cost[way].seconds.push(childSeconds() - before);
  if ((outcome.facts.selfCheck?.maxDifference ?? 0) > 0) write(`${way}: ${JSON.stringify(outcome.facts.selfCheck)}`);
  return found;
}

/** User and system time of the children that have ended. */
function childSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** The row of all orders: one that was scored by itself lacks the first. */
function whole({ plain, orders }: Found, id: string): ScoredRow | undefined {
  const [first, row] = [plain.get(id), orders.get(id)];
  if (row?.status !== 'ok' || first?.status !== 'ok') return row;
  return row.logits.length === first.logits.length ** 2 ? row : withFirstOrder(first, row);
}

function same(a: ScoredRow | undefined, b: ScoredRow | undefined): boolean {
  if (a?.status !== 'ok' || b?.status !== 'ok') return false;
  return (
    JSON.stringify([Array.from(a.logits), a.logZ, a.optionMass, a.promptTokens]) ===
    JSON.stringify([Array.from(b.logits), b.logZ, b.optionMass, b.promptTokens])
  );
}
