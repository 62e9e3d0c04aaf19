import { describe, expect, it } from 'vitest';
import { evaluateTails } from '../../../../src/engine/llama/branches/evaluate-tails.js';
import type { TailsRow } from '../../../../src/engine/protocol/backend.js';
import { contextual, type Fake, fakeSequence, positional } from '../fake-sequence.js';

/** ln p of every option of every tail; the fake's greatest logit is 20 and its weight 2. */
async function evaluate(rows: readonly TailsRow[], make: (n: number) => Fake = () => fakeSequence(contextual)) {
  const fakes = rows.map((_, n) => make(n));
  const evaluations = await evaluateTails(fakes, rows, { kept: 0, cells: 1000, batchSize: 1000 });
  const logProbs = evaluations.map((evaluation) =>
    evaluation.kind === 'error'
      ? []
      : evaluation.readings.map(({ logits, maxLogit, totalWeight }) =>
          logits.map((logit) => logit! - maxLogit - Math.log(totalWeight)),
        ),
  );
  return { fakes, evaluations, logProbs };
}

const plain = ({ tokens, tails }: TailsRow, logProb = contextual) =>
  tails.map((tail) => tail.optionIds.map((id) => expect.closeTo(logProb([...tokens, ...tail.tokens], id), 9)));

const tail = (tokens: number[], optionIds: number[]) => ({ tokens, optionIds });
const ROWS: TailsRow[] = [
  { tokens: [11, 12, 13, 14], tails: [tail([21, 22, 23], [7, 8]), tail([24, 21], [8, 7])] },
  { tokens: [11, 12], tails: [tail([31], [5, 6, 7]), tail([32, 33], [7, 5, 6]), tail([34, 35, 36, 37], [6, 7, 5])] },
];

describe('evaluateTails', () => {
  it('reads the options at the last token of each tail, and nowhere else', async () => {
    const row = { tokens: [1, 2, 3, 4, 5], tails: [tail([6, 7], [21, 22]), tail([8], [23, 24])] };
    const { logProbs } = await evaluate([row], () => fakeSequence(positional));
    expect(logProbs[0]).toEqual(plain(row, positional));
    expect(logProbs[0]![0]![0]).toBeCloseTo(-6.021, 9);
    expect(logProbs[0]![1]![0]).toBeCloseTo(-5.023, 9);
  });

  it('reads every tail as if its prompt stood alone, whatever the tails and rows beside it', async () => {
    expect((await evaluate(ROWS)).logProbs).toEqual(ROWS.map((row) => plain(row)));
    expect((await evaluate([...ROWS].reverse())).logProbs).toEqual([...ROWS].reverse().map((row) => plain(row)));
  });

  it('evaluates the stem once, and fills a tail only behind its last token', async () => {
    const { fakes } = await evaluate([ROWS[0]!, { ...ROWS[0]!, tails: [tail([41], [7, 8]), tail([42], [8, 7])] }]);
    expect(fakes[0]!.calls).toEqual([
      [11, 12, 13, 14, 21, 22, 23],
      [24, 21],
    ]);
    expect(fakes[1]!.calls).toEqual([
      [11, 12, 13, 14, 41, 41, 41],
      [42, 42],
    ]);
  });

  it('takes as few passes as hold the rows, none with one row alone, and reads the same', async () => {
    const rows = Array.from({ length: 7 }, (_, n) => ({ ...ROWS[0]!, tokens: [11 + n, 12, 13, 14] }));
    let under = 0;
    const sizes: number[] = [];
    const fakes = rows.map(() => {
      const fake = fakeSequence(contextual);
      const { controlledEvaluate } = fake;
      // All rows of a pass are queued in one turn.
      fake.controlledEvaluate = async (...asked) => {
        if (under++ === 0) queueMicrotask(() => sizes.push(under));
        const found = await controlledEvaluate(...asked);
        await new Promise(setImmediate);
        under = 0;
        return found;
      };
      return fake;
    });
    // A first pass has 7 tokens a row and a second one 2, so that 21 tokens hold three rows, then all seven.
    const found = await evaluateTails(fakes, rows, { kept: 0, cells: 1000, batchSize: 21 });
    expect(sizes).toEqual([2, 2, 3, 7]);
    const logProbs = found.map((each) => (each.kind === 'error' ? [] : each.readings.map(({ logits }) => logits)));
    const alone = await evaluate(rows);
    const expected = alone.evaluations.map((each) =>
      each.kind === 'error' ? [] : each.readings.map(({ logits }) => logits),
    );
    expect(logProbs).toEqual(expected);
  });

  it('never fills a sequence to its last cell', async () => {
    const long = { tokens: [11], tails: [tail([21], [7, 8]), tail(Array(9).fill(22), [7, 8])] };
    const stem = { tokens: [1, 2, 3, 4, 5, 6, 7], tails: [tail([21], [7, 8]), tail([23], [7, 8])] };
    const fakes = [fakeSequence(contextual), fakeSequence(contextual)];
    // 11 cells: 10 tokens are the most that a sequence may hold.
    const [, second] = await evaluateTails(fakes, [long, stem], { kept: 0, cells: 11, batchSize: 1000 });
    expect(fakes[1]!.calls[1]).toEqual([23, 23, 23]);
    expect(second).toMatchObject({ kind: 'readings' });
  });

  it('evaluates the stem again where a sliding window or a recurrent state does not reach back', async () => {
    for (const options of [{ window: 5 }, { erases: false }]) {
      const { logProbs, fakes } = await evaluate([ROWS[0]!], () => fakeSequence(contextual, options));
      expect(logProbs[0]).toEqual(plain(ROWS[0]!));
      expect(fakes[0]!.calls[1]).toEqual([11, 12, 13, 14]);
    }
  });

  it('a row that fails in any pass is an error, and the others are read', async () => {
    for (const failsAt of [0, 1]) {
      const { evaluations, logProbs } = await evaluate(ROWS, (n) =>
        fakeSequence(contextual, n === 1 ? { failsAt } : {}),
      );
      expect(evaluations[1]).toEqual({ kind: 'error', message: 'decode failed' });
      expect(logProbs[0]).toEqual(plain(ROWS[0]!));
    }
  });
});
