import { describe, expect, it } from 'vitest';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ModelJob } from '../../../src/contract/scorer.js';
import { messageFault } from '../../../src/scoring/run/check-message.js';
import { scoreModels } from '../../../src/scoring/score-models.js';
import { startedModule } from '../../built-modules.js';
import { GARBAGE } from '../garbage-backend.js';

const backendModule = startedModule('scoring/garbage-backend').href;

/**
 * Nine rows, the longest first in work: r7, the last but one, makes the child send garbage while r9 is still to come.
 */
function modelJob(word: string) {
  const kept: ScoredRow[] = [];
  const prompts = Array.from({ length: 9 }, (_, n) => ({
    id: `r${n + 1}`,
    text: n === 6 ? `GARBAGE ${word}.` : n === 8 ? 'end' : `a plain question of some length, number ${n}`,
    mode: 'letter' as const,
    continuations: ['A', 'B'],
    answerPrefix: null,
  }));
  const onRows = async (rows: readonly ScoredRow[]) => void kept.push(...rows);
  const job: ModelJob = {
    model: { id: word, role: 'base', bucket: 'b', prompt: 'raw', scoring: { sequences: 2 } },
    place: { kind: 'gguf', path: '/stub.gguf', bytes: 1000 },
    jobs: [{ dataset: 'd', prompts, onRows }],
  };
  return { job, kept };
}

describe('a child that answers garbage', () => {
  it('is ended and counts as a crash with the reason, whatever it sends; only right rows are kept', async () => {
    const words = [...Object.keys(GARBAGE), 'nothing-at-all'];
    const models = words.map(modelJob);
    const settings = { device: 'cpu' as const, cores: 2 };
    const engine = { backendModule, freeMemory: async () => 2 ** 40 };
    const outcomes = await scoreModels(
      models.map(({ job }) => job),
      settings,
      {},
      engine,
    );
    const good = outcomes.pop();
    expect(good).toMatchObject({ kind: 'done' });
    expect(models.pop()!.kept).toHaveLength(9);
    outcomes.forEach((outcome, n) => {
      const [word, { kept }] = [words[n]!, models[n]!];
      expect(outcome, word).toMatchObject({
        kind: 'failed',
        reason: expect.stringMatching(
          /^model [a-z-]+ at d, rows? r7.*: the worker process sent garbage \(.+\), so it was ended/,
        ),
      });
      expect(kept.map(({ id }) => id).sort(), word).toEqual(['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r8']);
      for (const row of kept) expect(row.status === 'ok' && row.logits[0], word).not.toBe(9);
    });
    const reason = (word: string) => (outcomes[words.indexOf(word)] as { reason: string }).reason;
    expect(reason('unknown-kind')).toContain('a message of the unknown kind "result"');
    expect(reason('unknown-id')).toContain('row "nobody", which was not asked for or came before');
    expect(reason('came-before')).toContain('row "r1", which was not asked for or came before');
    expect(reason('fewer-logits')).toContain('row "r9" with 1 logits where 2 were asked for');
    expect(reason('no-list')).toContain('rows that are no list');
    expect(reason('too-early')).toContain('the end of the model, but 2 rows have not come');
  });
});

describe('messageFault', () => {
  it('takes tokens as a list of numbers with its chunk, and from a child that was asked for them only', () => {
    const delivery = { awaits: () => null, awaitsWhole: () => null, remaining: () => [] };
    const fault = (message: object, tellsTokens: boolean) =>
      messageFault({ kind: 'tokens', ...message }, { jobs: 1, loaded: false, tellsTokens, delivery });
    const packed = Uint32Array.of(1, 1, 65, 1, 66);
    expect(fault({ chunk: 3, packed }, true)).toBeNull();
    for (const wrong of [{ chunk: -1, packed }, { chunk: 3, packed: [1] }, { packed }])
      expect(fault(wrong, true)).toBe('tokens that nobody asked for');
    expect(fault({ chunk: 3, packed }, false)).toBe('tokens that nobody asked for');
  });
});
