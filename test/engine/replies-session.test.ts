import { describe, expect, it } from 'vitest';
import type { GenerationRow } from '../../src/engine/backend.js';
import type { WirePrompt, WorkerPlan } from '../../src/engine/protocol.js';
import { runSession, withContext } from './stub-session.js';

const ask = (example: string, sample: number, text = `Question ${example}`, maxTokens = 64): WirePrompt => ({
  ...{ id: `${example}#${sample}`, text, mode: 'reply', continuations: ['A', 'B'], answerPrefix: null },
  reply: { example, sample, seed: sample, temperature: 0.7, maxTokens, grammar: null, options: ['x', 'y'] },
});

async function run(prompts: WirePrompt[], plan: Partial<WorkerPlan> = {}) {
  const asked: (readonly GenerationRow[])[] = [];
  const backend = withContext((context) => ({
    generate: (rows, shared) => {
      asked.push(rows);
      return context.generate(rows, shared);
    },
  }));
  const { rows, last } = await runSession([prompts], { plan, backend });
  return { rows, asked, last };
}

describe('a session with replies', () => {
  it('evaluates the prompt of all samples of an example once, up to `sequences` examples at a time', async () => {
    const prompts = ['a', 'b', 'c', 'd', 'e'].flatMap((example) => [1, 2, 3].map((sample) => ask(example, sample)));
    const { rows, asked, last } = await run(prompts);
    expect(last).toEqual({ kind: 'done', stopped: false });
    expect(asked.map((wave) => wave.map(({ seeds }) => seeds))).toEqual([
      Array.from({ length: 4 }, () => [1, 2, 3]),
      [[1, 2, 3]],
    ]);
    expect(rows.get('c#2')).toEqual({
      ...{ status: 'replied', id: 'c#2', text: '{"answer": "A", "confidence": 2}', replyTokens: 32, ended: true },
      ...{ seed: 2, promptTokens: 11 },
    });
    expect([...rows.keys()].sort()).toEqual(prompts.map(({ id }) => id).sort());
  });

  it('asks for the samples alone that are left', async () => {
    const { asked } = await run([ask('a', 2), ask('a', 5)]);
    expect(asked.flat().map(({ seeds }) => seeds)).toEqual([[2, 5]]);
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
