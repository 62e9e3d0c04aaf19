import { describe, expect, it } from 'vitest';
import type { Card } from '../../src/contract/device.js';
import type { ModelJob } from '../../src/contract/scorer.js';
import { scoreModels } from '../../src/scoring/score-models.js';
import { startedModule } from '../built-modules.js';
import { cardsNamed } from './run/virtual-cards.js';

const backendModule = startedModule('scoring/visible-backend').href;
const MIB = 2 ** 20;

interface Kept {
  readonly id: string;
  readonly device: string;
  readonly backend: string;
  readonly scores: string;
}

/** Scores models on simulated cards, each of which is a child process with a stub. */
async function scored(
  cards: readonly Card[],
  models: readonly Partial<ModelJob['model']>[],
  rows: number,
  devices?: readonly number[],
) {
  const kept = new Map<string, Kept[]>();
  const lines: string[] = [];
  const jobs = models.map((model, m): ModelJob => {
    const own: Kept[] = [];
    const id = model.id ?? `m${m}`;
    kept.set(id, own);
    const prompts = Array.from({ length: rows }, (_, n) => ({
      id: `r${n}`,
      text: `question ${n}`,
      mode: 'letter' as const,
      continuations: ['A', 'B'],
      answerPrefix: null,
    }));
    return {
      model: { id, role: 'base', bucket: 'b', prompt: 'raw', ...model },
      place: { kind: 'gguf', path: `/${id}.gguf`, bytes: 1000 },
      jobs: [
        {
          dataset: 'd',
          prompts,
          onRows: async (group, facts) => {
            for (const { id: row, ...scores } of group)
              own.push({ id: row, device: facts.device, backend: facts.backend, scores: JSON.stringify(scores) });
          },
        },
      ],
    };
  });
  const settings = { device: 'cuda' as const, cores: 2, ...(devices && { devices }) };
  const events = { onLog: (_: string, line: string) => void lines.push(line) };
  const outcomes = await scoreModels(jobs, settings, events, { backendModule, cards, answers: async () => true });
  return { kept, outcomes, lines };
}

const sorted = (rows: readonly Kept[] = []) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
const scoresOf = (rows: readonly Kept[] = []) => sorted(rows).map(({ id, scores }) => [id, scores]);
const devicesOf = (rows: readonly Kept[] = []) => [...new Set(rows.map(({ device }) => device))].sort();

describe('scoreModels with several cards', () => {
  it('each child sees its own card and no other, and a model that is divided has the batches of one card', async () => {
    // So many that the children tell each other the tokens.
    const alone = await scored(cardsNamed(['H100']), [{ id: 'm' }], 1100);
    expect(devicesOf(alone.kept.get('m'))).toEqual([`card ${process.env.CUDA_VISIBLE_DEVICES ?? 'any'}`]);
    const both = await scored(cardsNamed(['H100', 'H100']), [{ id: 'm' }], 1100);
    expect(devicesOf(both.kept.get('m'))).toEqual(['card 0', 'card 1']);
    expect(scoresOf(both.kept.get('m'))).toEqual(scoresOf(alone.kept.get('m')));
    expect(both.outcomes).toMatchObject([{ kind: 'done', model: 'm' }]);
  });

  it('--devices 2 leaves the others alone; scoring: { devices: 2 } shows a child two cards', async () => {
    const cards = cardsNamed(['H100', 'H100', 'H100']);
    const { kept } = await scored(cards, [{ id: 'a' }, { id: 'b' }], 3, [2]);
    expect([...kept.values()].map(devicesOf)).toEqual([['card 2'], ['card 2']]);
    const two = await scored(cards, [{ id: 'a', scoring: { devices: 2 } }, { id: 'b' }], 3);
    expect([...two.kept.values()].map(devicesOf)).toEqual([['card 0,1'], ['card 2']]);
  });

  it('scoring: { device: cpu } scores a model on the CPU meanwhile, whose child is shown no card of its own', async () => {
    const models = [{ id: 'a' }, { id: 'tiny', scoring: { device: 'cpu' as const } }, { id: 'b' }];
    const { kept, outcomes } = await scored(cardsNamed(['H100', 'H100']), models, 3, [0, 1]);
    const backends = [...kept.values()].map((rows) => [...new Set(rows.map(({ backend }) => backend))]);
    expect(backends).toEqual([['cuda'], ['cpu'], ['cuda']]);
    expect([...kept.values()].map((rows) => rows.length)).toEqual([3, 3, 3]);
    expect(devicesOf(kept.get('tiny'))).toEqual([`card ${process.env.CUDA_VISIBLE_DEVICES ?? 'any'}`]);
    expect(outcomes.map(({ model }) => model)).toEqual(['a', 'tiny', 'b']);
  });

  it('a model that one card cannot hold gets as many as hold it, and is refused with the numbers when all do not', async () => {
    // 32 MiB of cache for its one sequence.
    const wide = { id: 'wide', scoring: { contextSize: 8192, sequences: 1 } };
    const run = (mib: number) => scored(cardsNamed(['L4', 'L4'], [mib * MIB, mib * MIB]), [wide], 3);
    const spread = await run(24);
    expect(devicesOf(spread.kept.get('wide'))).toEqual(['card 0,1']);
    const { outcomes } = await run(10);
    expect(outcomes[0]).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^model wide does not fit into memory: .* 20 MiB are free/),
    });
  });

  it('a model that fits into all cards with fewer sequences alone is refused with their number', async () => {
    const wide = { id: 'wide', scoring: { contextSize: 8192, sequences: 16 } };
    const { outcomes } = await scored(cardsNamed(['L4', 'L4'], [200 * MIB, 200 * MIB]), [wide], 3);
    expect(outcomes).toMatchObject([{ kind: 'failed', fits: 8 }]);
  });

  it('a card that is asked for and not there is an error, and no child is started', async () => {
    await expect(scored(cardsNamed(['H100', 'L4']), [{ id: 'm' }], 3, [4])).rejects.toMatchObject({ code: 'usage' });
  });

  it('a model that asks for more cards than there are fails alone', async () => {
    const { outcomes } = await scored(
      cardsNamed(['H100', 'H100']),
      [{ id: 'a', scoring: { devices: 3 } }, { id: 'b' }],
      3,
    );
    expect(outcomes).toMatchObject([
      { kind: 'failed', reason: 'model a: scoring: { devices: 3 } asks for more cards than there are (2)' },
      { kind: 'done' },
    ]);
  });
});
