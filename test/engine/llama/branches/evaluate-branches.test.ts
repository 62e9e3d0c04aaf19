import type { ControlledEvaluateInputItem, Token } from 'node-llama-cpp';
import { describe, expect, it } from 'vitest';
import type { PassesEvaluator } from '../../../../src/engine/library/evaluate-natively.js';
import { evaluateContinuations } from '../../../../src/engine/llama/branches/evaluate-continuations.js';
import { evaluateTails } from '../../../../src/engine/llama/branches/evaluate-tails.js';
import { logitRequest, readingOf } from '../../../../src/engine/llama/read-logits.js';
import type { TailsRow, TextRow } from '../../../../src/engine/protocol/backend.js';
import { seededGenerator } from '../../../../src/numeric/random/seeded-generator.js';
import { contextual, type Fake, fakeSequence } from '../fake-sequence.js';

/** What the reader does with passes, by fake sequences: cut back, evaluate filled up, read; cut back at the end. */
const byFakes: PassesEvaluator = async (passes) => {
  const held = new Map<Fake, number>();
  for (const part of passes.flat()) {
    const fake = part.sequence as Fake;
    if (!held.has(fake)) held.set(fake, part.from);
    await fake.eraseContextTokenRanges([{ start: part.from, end: fake.nextTokenIndex }]);
    const asked = (at: number) => part.readings.filter((reading) => reading.at === at).flatMap(({ ids }) => ids);
    const input = Array.from({ length: Math.max(part.length, part.tokens.length) }, (_, at) => {
      const token = (part.tokens[at] ?? part.tokens.at(-1)) as Token;
      const isRead = part.readings.some((reading) => reading.at === at);
      return isRead ? [token, { generateNext: logitRequest(asked(at)) }] : token;
    });
    const output = await fake.controlledEvaluate(input as ControlledEvaluateInputItem[]);
    for (const { at, ids, take } of part.readings) {
      const { logits, ...rest } = readingOf(output[at]?.next, ids);
      take({ ...rest, logits: logits.map((logit) => logit ?? Number.NaN) });
    }
  }
  for (const [fake, from] of held) await fake.eraseContextTokenRanges([{ start: from, end: fake.nextTokenIndex }]);
  return true;
};

const KEPT = [1, 2, 3];

async function fakesFor(count: number): Promise<Fake[]> {
  const fakes = Array.from({ length: count }, () => fakeSequence(contextual));
  for (const fake of fakes) await fake.controlledEvaluate(KEPT as Token[]);
  return fakes;
}

/** Whole texts and other orders of options, whose rows have up to four paths, some of them empty but for their stem. */
function rowsFrom(seed: number) {
  const generator = seededGenerator(seed);
  const below = (limit: number) => (generator.next() >>> 8) % limit;
  const tokens = (most: number) => Array.from({ length: 1 + below(most) }, () => 10 + below(40));
  const count = 1 + below(6);
  const texts = Array.from({ length: count }, (): TextRow => {
    return { tokens: [...KEPT, ...tokens(9)], continuations: Array.from({ length: 1 + below(4) }, () => tokens(4)) };
  });
  const orders = Array.from({ length: count }, (): TailsRow => {
    const tails = Array.from({ length: 1 + below(4) }, () => ({ tokens: tokens(6), optionIds: tokens(3) }));
    return { tokens: [...KEPT, ...tokens(9)], tails };
  });
  return { texts, orders, batchSize: 40 + below(100) };
}

describe('evaluateBranches by our own reader', () => {
  it('evaluates the passes of the library, filled up alike, reads the same, and leaves the sequences as they were', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { texts, orders, batchSize } = rowsFrom(seed);
      const outcomes = [];
      for (const evaluateNatively of [null, byFakes]) {
        const [forTexts, forOrders] = [await fakesFor(texts.length), await fakesFor(orders.length)];
        const context = { kept: KEPT.length, cells: 40, batchSize, evaluateNatively };
        const found = [
          await evaluateContinuations(forTexts, texts, context),
          await evaluateTails(forOrders, orders, context),
        ];
        outcomes.push({ found, calls: [...forTexts, ...forOrders].map(({ calls }) => calls) });
        if (evaluateNatively !== null)
          expect([...forTexts, ...forOrders].every(({ nextTokenIndex }) => nextTokenIndex === KEPT.length)).toBe(true);
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
    }
  });

  it('goes on by the library where the reader cannot', async () => {
    const { texts } = rowsFrom(1);
    const context = { kept: KEPT.length, cells: 40, batchSize: 100 };
    const by = async (evaluateNatively: PassesEvaluator | null) =>
      await evaluateContinuations(await fakesFor(texts.length), texts, { ...context, evaluateNatively });
    expect(await by(async () => false)).toEqual(await by(null));
  });
});
