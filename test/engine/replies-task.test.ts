import { describe, expect, it } from 'vitest';
import type { GenerationRow } from '../../src/engine/protocol/backend.js';
import type { WirePrompt, WorkerPlan } from '../../src/engine/protocol/protocol.js';
import { runTask, withContext } from './stub-task.js';

const ask = (example: string, sample: number, text = `Question ${example}`, maxTokens = 64): WirePrompt => ({
  id: `${example}#${sample}`,
  text,
  mode: 'reply',
  continuations: ['A', 'B'],
  answerPrefix: null,
  reply: { example, sample, seed: sample, temperature: 0.7, maxTokens, form: null, options: ['x', 'y'] },
});

async function run(prompts: WirePrompt[] | WirePrompt[][], plan: Partial<WorkerPlan> = {}) {
  const asked: (readonly GenerationRow[])[] = [];
  const backend = withContext((context) => ({
    generate: (rows, shared) => {
      asked.push(rows);
      return context.generate(rows, shared);
    },
  }));
  const { rows, last, sent } = await runTask((Array.isArray(prompts[0]) ? prompts : [prompts]) as WirePrompt[][], {
    plan,
    backend,
  });
  return { rows, asked, last, sent };
}

describe('a task with replies', () => {
  it('evaluates the prompt of all samples of an example once, up to `sequences` examples at a time', async () => {
    const prompts = ['a', 'b', 'c', 'd', 'e'].flatMap((example) => [1, 2, 3].map((sample) => ask(example, sample)));
    const { rows, asked, last } = await run(prompts);
    expect(last).toEqual({ kind: 'done', stopped: false });
    expect(asked.map((wave) => wave.map(({ samples }) => samples.map(({ seed }) => seed)))).toEqual([
      Array.from({ length: 4 }, () => [1, 2, 3]),
      [[1, 2, 3]],
    ]);
    expect(rows.get('c#2')).toEqual({
      status: 'replied',
      id: 'c#2',
      text: '{"answer": "A", "confidence": 2}',
      replyTokens: 32,
      ended: true,
      seed: 2,
      promptTokens: 11,
    });
    expect([...rows.keys()].sort()).toEqual(prompts.map(({ id }) => id).sort());
  });

  it('asks for the samples alone that are left', async () => {
    const { asked } = await run([ask('a', 2), ask('a', 5)]);
    expect(asked.flat().map(({ samples }) => samples)).toEqual([
      [
        { seed: 2, temperature: 0.7 },
        { seed: 5, temperature: 0.7 },
      ],
    ]);
  });

  it('evaluates one prompt for the replies of two jobs, and sends each job its own rows', async () => {
    const greedy = ['a', 'b', 'c'].map((example) => ({ ...ask(example, 1), id: `${example}#1` }));
    const samples = ['b', 'c', 'd'].flatMap((example) => [1, 2].map((sample) => ask(example, sample)));
    const { asked, sent, last } = await run([greedy, samples]);
    expect(last).toEqual({ kind: 'done', stopped: false });
    const counts = asked.map((wave) => wave.map((row) => row.samples.length));
    expect(counts.flat().sort()).toEqual([1, 2, 3, 3]);
    const rowsOf = (wanted: number) =>
      sent.flatMap((each) => (each.kind === 'rows' && each.job === wanted ? each.rows.map(({ id }) => id) : [])).sort();
    expect([rowsOf(0), rowsOf(1)]).toEqual([greedy, samples].map((prompts) => prompts.map(({ id }) => id).sort()));
    // Each prompt is counted once, whatever takes part in it: 11 tokens, and 64 a reply.
    const tokens = sent.reduce((sum, each) => sum + (each.kind === 'rows' ? each.tokens : 0), 0);
    expect(tokens).toBe(4 * 11 + 9 * 64);
  });

  it('says of a reply that it was cut', async () => {
    const { rows } = await run([ask('a', 1, 'SAY(word after word)', 8)]);
    expect(rows.get('a#1')).toMatchObject({ text: 'word aft', ended: false });
  });

  it('a prompt that cannot be answered fails with a reason, and no other one', async () => {
    const long = ask('long', 1, 'y'.repeat(90));
    const { rows } = await run([ask('bad', 1, 'NAN'), ask('throws', 1, 'THROW'), ask('good', 1), long], {
      contextSize: 120,
    });
    expect(rows.get('bad#1')).toMatchObject({ status: 'failed', reason: 'generation failed: no token could be drawn' });
    expect(rows.get('throws#1')).toMatchObject({ status: 'failed', reason: expect.stringMatching(/decode failed/) });
    expect(rows.get('good#1')).toMatchObject({ status: 'replied' });
    expect(rows.get('long#1')).toMatchObject({
      reason:
        'the prompt and the longest reply that is allowed have 155 tokens, but one sequence of the context holds 119; nothing was evaluated',
    });
  });
});
