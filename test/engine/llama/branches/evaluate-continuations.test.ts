import type { Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import { evaluateContinuations } from '../../../../src/engine/llama/branches/evaluate-continuations.js';
import type { TextRow } from '../../../../src/engine/protocol/backend.js';
import { contextual, type Fake, fakeSequence, type LogProb, positional } from '../fake-sequence.js';

async function evaluate(rows: readonly TextRow[], make: (n: number) => Fake, kept = 0) {
  const fakes = rows.map((_, n) => make(n));
  const evaluations = await evaluateContinuations(fakes, rows, { kept, cells: 1000, batchSize: 1000 });
  const logProbs = evaluations.map((evaluation) => (evaluation.kind === 'error' ? [] : evaluation.logProbs));
  return { fakes, evaluations, logProbs };
}

/** Each option by itself, from nothing. */
const oneByOne = ({ tokens, continuations }: TextRow, logProb: LogProb) =>
  continuations.map((ids) => ids.map((id, j) => expect.closeTo(logProb([...tokens, ...ids.slice(0, j)], id), 9)));

const PROMPT = [11, 12, 13, 14, 15];
const ROWS: TextRow[] = [
  { tokens: PROMPT, continuations: [[21, 22, 23], [24], [25, 26]] },
  { tokens: PROMPT.slice(0, 3), continuations: [[31], [31, 32], [33, 34, 35, 36], [31]] },
  { tokens: [11, 12], continuations: [[41], [42]] },
];

describe('evaluateContinuations', () => {
  it('reads the two tokens of an option after a prompt of tokens 0 to 4 at positions 4 and 5', async () => {
    const { logProbs } = await evaluate([{ tokens: PROMPT, continuations: [[21, 22], [23]] }], () =>
      fakeSequence(positional),
    );
    expect(logProbs[0]).toEqual([[expect.closeTo(-4.021, 9), expect.closeTo(-5.022, 9)], [expect.closeTo(-4.023, 9)]]);
  });

  it('reads every option, of every row, as if it stood alone after its prompt', async () => {
    const { logProbs } = await evaluate(ROWS, () => fakeSequence(contextual));
    expect(logProbs).toEqual(ROWS.map((row) => oneByOne(row, contextual)));
    expect(logProbs[1]![3]).toEqual(logProbs[1]![0]);
  });

  it('counts positions from the start of the sequence when a prefix of the prompt was kept', async () => {
    const { logProbs } = await evaluate(
      [ROWS[0]!],
      () => {
        const fake = fakeSequence(contextual);
        void fake.controlledEvaluate(PROMPT.slice(0, 3) as Token[]);
        return fake;
      },
      3,
    );
    expect(logProbs[0]).toEqual(oneByOne(ROWS[0]!, contextual));
  });

  it('evaluates a prompt once, and nothing but the prompt for options of one token', async () => {
    const { fakes } = await evaluate([{ tokens: PROMPT, continuations: [[1], [2], [3]] }], () =>
      fakeSequence(positional),
    );
    expect(fakes[0]!.calls).toEqual([PROMPT]);
    const several = await evaluate([ROWS[0]!], () => fakeSequence(positional));
    expect(several.fakes[0]!.calls).toEqual([[...PROMPT, 21, 22], [25]]);
  });

  it('never branches one sequence alone while another row could keep it company', async () => {
    const { fakes } = await evaluate(ROWS.slice(0, 2), () => fakeSequence(contextual));
    // The companion has gone over a path of its own by then.
    const company: TextRow = { tokens: [11, 12], continuations: [[41, 42, 43], [44]] };
    const lone = await evaluate([ROWS[0]!, company], () => fakeSequence(contextual));
    expect(fakes.map((fake) => fake.calls.length)).toEqual([2, 2]);
    expect(lone.fakes.map((fake) => fake.calls.length)).toEqual([2, 2]);
    expect(lone.logProbs).toEqual([oneByOne(ROWS[0]!, contextual), oneByOne(company, contextual)]);
  });

  it('evaluates the prompt again where a sliding window has dropped its beginning', async () => {
    // After the longest path the window begins inside the prompt: an erase alone would leave a hole.
    const { logProbs, fakes } = await evaluate([ROWS[0]!], () => fakeSequence(contextual, { window: 6 }));
    expect(logProbs[0]).toEqual(oneByOne(ROWS[0]!, contextual));
    expect(fakes[0]!.calls).toEqual([[...PROMPT, 21, 22], PROMPT, [25]]);
  });

  it('evaluates the prompt again where the state cannot be cut back', async () => {
    const { logProbs } = await evaluate([ROWS[0]!], () => fakeSequence(contextual, { erases: false }));
    expect(logProbs[0]).toEqual(oneByOne(ROWS[0]!, contextual));
  });

  it('a row that fails in any pass is an error, and the others are read', async () => {
    for (const failsAt of [0, 1]) {
      const { evaluations, logProbs } = await evaluate(ROWS, (n) =>
        fakeSequence(contextual, n === 1 ? { failsAt } : {}),
      );
      expect(evaluations[1]).toEqual({ kind: 'error', message: 'decode failed' });
      expect(logProbs[0]).toEqual(oneByOne(ROWS[0]!, contextual));
      expect(logProbs[2]).toEqual(oneByOne(ROWS[2]!, contextual));
    }
  });
});

it('a sum that does not cover the vocabulary fails the row and no other', async () => {
  const cut = fakeSequence(() => 0.25);
  const [row] = ROWS;
  const { evaluations } = await evaluate([row!, row!], (n) => (n === 0 ? cut : fakeSequence(contextual)));
  expect(evaluations[0]).toMatchObject({ kind: 'error', message: expect.stringMatching(/above the maximum/) });
  expect(evaluations[1]?.kind).toBe('logProbs');
});
