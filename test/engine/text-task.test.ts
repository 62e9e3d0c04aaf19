import { describe, expect, it } from 'vitest';
import type { TextScore } from '../../src/contract/prompt.js';
import type { ModelRow } from '../../src/contract/scored-row.js';
import type { TextEvaluation, TextRow } from '../../src/engine/protocol/backend.js';
import type { WirePrompt } from '../../src/engine/protocol/protocol.js';
import { runTask, withContext } from './stub-task.js';

const ask = (id: string, text: string, continuations = ['yes', 'no'], textScore?: TextScore): WirePrompt => ({
  id,
  text,
  mode: 'text',
  continuations,
  ...(textScore && { textScore }),
  answerPrefix: null,
});

const run = (prompts: WirePrompt[], options: Parameters<typeof runTask>[1] = {}) => runTask([prompts], options);

/** The stub with its texts evaluated by another function, and every row that it was asked. */
function withTexts(evaluate: (row: TextRow) => TextEvaluation) {
  const asked: TextRow[] = [];
  const backend = withContext(() => ({
    evaluateTexts: async (rows) => {
      asked.push(...rows);
      return rows.map(evaluate);
    },
  }));
  return { backend, asked };
}

const logitsOf = (row: ModelRow | undefined) =>
  row?.status === 'ok' ? Array.from(row.logits) : row?.status === 'failed' ? row.reason : undefined;

describe('a task in text mode', () => {
  it('stores the sums of the token log-probabilities, -1 and -2 as -3, and logZ 0', async () => {
    const { backend } = withTexts(({ continuations }) => ({
      kind: 'logProbs',
      logProbs: continuations.map((tokens) => tokens.map((_, j) => -(j + 1))),
    }));
    const { rows } = await run([ask('q', 'x', ['ab', 'c', 'ab'])], { backend });
    expect(rows.get('q')).toMatchObject({ status: 'ok', logits: Float32Array.of(-3, -1, -3), logZ: 0 });
  });

  it('" very good" and " very bad" are scored with all their tokens, after a prompt that ends before the space', async () => {
    const { backend, asked } = withTexts(({ continuations }) => ({
      kind: 'logProbs',
      logProbs: continuations.map((tokens) => tokens.map(() => -0.5)),
    }));
    const { rows } = await run([ask('q', 'x', ['very good', 'very bad'])], { backend });
    // The stub has one token per character; the space before an option belongs to the prompt.
    expect(asked[0]!.tokens).toEqual([1, 10 + 'x'.codePointAt(0)!, 10 + 32]);
    expect(logitsOf(rows.get('q'))).toEqual([-4.5, -4]);
  });

  it('a prompt that is too long with its longest option is a failed row, and is not evaluated', async () => {
    const { rows } = await run([ask('fits', 'x'.repeat(500)), ask('long', 'x'.repeat(500), ['y', 'z'.repeat(10)])], {
      plan: { contextSize: 512 },
    });
    expect(rows.get('fits')).toMatchObject({ status: 'ok' });
    expect(rows.get('long')).toEqual({
      status: 'failed',
      id: 'long',
      reason:
        'the prompt and its longest option have 512 tokens, but one sequence of the context holds 511; nothing was evaluated',
      promptTokens: 502,
    });
  });

  it('NaN, -Infinity, missing numbers and a failed batch cost their own rows only', async () => {
    const texts = ['NAN', 'fine', 'INF', 'MISSING', 'THROW', 'other'];
    const { rows } = await run(texts.map((text) => ask(text, text)));
    expect(texts.map((text) => rows.get(text)!.status)).toEqual(['failed', 'ok', 'failed', 'failed', 'failed', 'ok']);
    expect(logitsOf(rows.get('THROW'))).toBe('evaluation failed: decode failed');
  });

  it('one stored row whatever its neighbours, order and batch size, with different numbers of options', async () => {
    const normalizations: TextScore[] = [{ normalize: 'sum' }, { normalize: 'pmi', pmiPrompt: 'A:' }];
    for (const textScore of normalizations) {
      const prompts = Array.from({ length: 30 }, (_, n) =>
        ask(`q${n}`, `text ${n * 37}`, ['yes', 'no', 'perhaps', `${n}`].slice(0, 2 + (n % 3)), textScore),
      );
      const first = await run(prompts);
      const reversed = await run([...prompts].reverse(), { plan: { sequences: 3 } });
      const alone = await run([prompts[17]!]);
      expect(reversed.rows.get('q17')).toEqual(first.rows.get('q17'));
      expect(alone.rows.get('q17')).toEqual(first.rows.get('q17'));
    }
  });

  it('pmi asks for the same options after the pmi prompt once per list of options', async () => {
    const { backend, asked } = withTexts(({ tokens, continuations }) => ({
      kind: 'logProbs',
      logProbs: continuations.map((each) => each.map(() => -tokens.length)),
    }));
    const prompts = [0, 1, 2, 3, 4, 5].map((n) =>
      ask(`q${n}`, 'x'.repeat(7), ['a', 'b'], { normalize: 'pmi', pmiPrompt: 'xx:' }),
    );
    const { rows } = await run(prompts, { backend });
    // <s>xxxxxxx and a space, against <s>xx: and a space.
    for (const row of rows.values()) expect(logitsOf(row)).toEqual([-9 + 5, -9 + 5]);
    expect(asked.filter(({ tokens }) => tokens.length === 5)).toHaveLength(1);
  });

  it('pmi looks ahead, so that lists of options that differ by row are evaluated together, each once', async () => {
    const { backend, asked } = withTexts(({ tokens, continuations }) => ({
      kind: 'logProbs',
      logProbs: continuations.map((each) => each.map((token) => -tokens.length - token)),
    }));
    const prompts = Array.from({ length: 40 }, (_, n) =>
      ask(`q${n}`, 'x'.repeat(7), ['a', String.fromCodePoint(200 + n)], { normalize: 'pmi', pmiPrompt: 'xx:' }),
    );
    const { rows } = await run(prompts, { backend });
    expect([...rows.values()].map(logitsOf)).toEqual(prompts.map(() => [-9 + 5, -9 + 5]));
    const lengths = asked.map(({ tokens }) => tokens.length);
    // The first batch with the lists of all others right after it, three of it alone for the self-check, the rest.
    expect(lengths.slice(0, 44)).toEqual([...Array(4).fill(9), ...Array(40).fill(5)]);
    expect(lengths.slice(44)).toEqual(Array(3 + 36).fill(9));
  });

  it('checks itself on texts as on letters', async () => {
    const { sent } = await run([ask('a', 'x'), ask('b', 'y')]);
    expect(sent.find((message) => message.kind === 'loaded')).toMatchObject({
      facts: { selfCheck: { maxDifference: 0 } },
    });
  });

  it('letters and texts in one job are scored each in its own way', async () => {
    const letter: WirePrompt = { id: 'l', text: 'x', mode: 'letter', continuations: ['A', 'B'], answerPrefix: null };
    const { rows } = await run([letter, ask('t', 'x', ['A', 'B'])]);
    expect(rows.get('l')).toMatchObject({ status: 'ok', logZ: 5 + Math.log(3) });
    expect(rows.get('t')).toMatchObject({ status: 'ok', logZ: 0 });
  });
});
