import { describe, expect, it } from 'vitest';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ModelFacts, ScoringJob } from '../../../src/contract/scorer.js';
import { modelWork, type WorkPiece } from '../../../src/scoring/run/model-work.js';

const IDS = ['a', 'b', 'c', 'd'];
const order = { text: 'q', continuations: ['A', 'B'] };
const letter = (id: string): ExamplePrompt => ({ id, ...order, mode: 'letter', answerPrefix: null });
const orders = (id: string): ExamplePrompt => ({ ...letter(id), mode: 'rotations', rotations: [order] });

function work(asks: Pick<ScoringJob, 'asks'>) {
  const jobs: ScoringJob[] = [
    { dataset: 'd', prompts: IDS.map(letter), asks: 'plain', onRows: async () => {} },
    { dataset: 'd', prompts: IDS.map(orders), ...asks, onRows: async () => {} },
  ];
  const model = { id: 'm', role: 'base', bucket: 'b', prompt: 'raw' } as const;
  return modelWork({ model, place: { kind: 'gguf', path: '/m.gguf', bytes: 1 }, jobs });
}

/** The ids of each job that a piece leaves out. */
const leftOut = ({ job }: WorkPiece) => job.jobs.map(({ skipped }) => [...(skipped ?? [])]);

async function give(piece: WorkPiece, job: number, ids: readonly string[]) {
  const rows = ids.map((id) => ({ status: 'failed' as const, id, reason: 'x', promptTokens: 0 }));
  await piece.job.jobs[job]!.onRows(rows, {} as ModelFacts);
}

describe('modelWork', () => {
  it('gives other orders of options to the places that have their plain prompts, and what is left once those are through', async () => {
    const divided = work({ asks: 'other-orders' });
    const pieces = divided.take(2);
    expect(pieces.map(({ share }) => share)).toEqual([
      { index: 0, count: 2, ordersWithPlainOnly: true },
      { index: 1, count: 2, ordersWithPlainOnly: true },
    ]);
    expect(pieces.map(leftOut)).toEqual([
      [[], []],
      [[], []],
    ]);
    await give(pieces[0]!, 0, ['a', 'b']);
    await give(pieces[0]!, 1, ['a', 'b']);
    await give(pieces[1]!, 0, ['c', 'd']);
    for (const piece of pieces) piece.end();
    const rest = divided.take(2);
    expect(rest.map(({ share }) => share)).toEqual([
      { index: 0, count: 2 },
      { index: 1, count: 2 },
    ]);
    expect(leftOut(rest[0]!)).toEqual([IDS, ['a', 'b']]);
    await give(rest[1]!, 1, ['c', 'd']);
    expect(divided.isThrough()).toBe(true);
  });

  it('keeps all other rotated prompts back until every plain row is there', async () => {
    const divided = work({});
    const [first, second] = divided.take(2);
    expect(leftOut(first!)).toEqual([[], IDS]);
    await give(second!, 0, IDS);
    for (const piece of [first!, second!]) piece.end();
    expect(leftOut(divided.take(2)[0]!)).toEqual([IDS, []]);
  });
});
