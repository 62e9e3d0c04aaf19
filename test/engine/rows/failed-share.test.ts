import { describe, expect, it } from 'vitest';
import { runTask } from '../stub-task.js';

const prompts = (count: number, bad: (n: number) => boolean) =>
  Array.from({ length: count }, (_, n) => ({
    id: `q${n}`,
    text: bad(n) ? 'NAN' : 'abc',
    mode: 'letter' as const,
    continuations: ['A', 'B'],
    answerPrefix: null,
  }));

describe('a model whose evaluated rows fail', () => {
  it('in more than half of the cases is stopped once there are 50, says why, and keeps what was sent', async () => {
    const { rows, last } = await runTask([prompts(400, (n) => n % 4 > 0)]);
    expect(last).toEqual({
      kind: 'failed',
      reason: expect.stringMatching(
        /^39 of 52 evaluated rows failed, .* scoring\.maxFailedShare allows \(0\.5\), so the model was stopped; .*finite/,
      ),
    });
    expect(rows.size).toBe(52);
  });

  it('in half of the cases, or among fewer than 50 rows, goes on: they are failed rows', async () => {
    const half = await runTask([prompts(100, (n) => n % 2 === 0)]);
    expect([half.last.kind, half.rows.size]).toEqual(['done', 100]);
    const few = await runTask([prompts(49, () => true)]);
    expect([few.last.kind, few.rows.size]).toEqual(['done', 49]);
  });

  it('is held to the share that models.yaml states, over all its data sets together', async () => {
    const jobs = [prompts(30, (n) => n % 8 === 0), prompts(60, (n) => n % 8 === 0)];
    const stated = (maxFailedShare: number) => runTask(jobs, { plan: { maxFailedShare } });
    expect((await stated(0.1)).last.kind).toBe('failed');
    expect((await stated(0.2)).last.kind).toBe('done');
    expect((await stated(1)).last.kind).toBe('done');
  });

  it('does not count prompts that were never evaluated', async () => {
    const long = prompts(80, () => false).map((prompt) => ({ ...prompt, text: 'x'.repeat(5_000) }));
    const { last, rows } = await runTask([long], { plan: { contextSize: 256 } });
    expect([last.kind, [...rows.values()].every(({ status }) => status === 'failed')]).toEqual(['done', true]);
  });
});
