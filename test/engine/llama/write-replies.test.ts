import { describe, expect, it } from 'vitest';
import { type FormedRow, writeReplies } from '../../../src/engine/llama/write-replies.js';
import { type TokenTree, tokenTree } from '../../../src/engine/protocol/token-tree.js';
import { drawIndex } from '../../../src/numeric/random/draw-index.js';
import { seededGenerator } from '../../../src/numeric/random/seeded-generator.js';
import { contextual, type Fake, fakeSequence } from './fake-sequence.js';

/** Two beginnings, three answers of one or two tokens, numbers of two digits, an end. */
const TEXTS = [[], [90]].flatMap((lead) =>
  [[20], [21], [22, 23]].flatMap((answer) =>
    Array.from({ length: 30 }, (_, n) => [...lead, 10, 11, ...answer, 12, 30 + Math.floor(n / 10), 40 + (n % 10), 13]),
  ),
);
const FORM = tokenTree(TEXTS.map((tokens) => ({ text: tokens.join(' '), tokens })))!;
const rowOf = (n: number, length = 6): FormedRow => ({
  tokens: Array.from({ length }, (_, i) => 100 + n * 7 + i),
  samples: [0, 0.7, 0.7, 2, 2].map((temperature, s) => ({ seed: 10 * n + s, temperature })),
  maxTokens: 64,
  form: FORM,
});
const ROWS = [rowOf(1), rowOf(2, 5), rowOf(3), rowOf(4)];
const textOf = (tokens: readonly number[]) => tokens.join(' ');

/** Every reply by itself, token by token, from the definition. */
function expected({ tokens, samples, form }: FormedRow): string[] {
  return samples.map(({ seed, temperature }) => {
    const generator = seededGenerator(seed);
    const state = [...tokens];
    let node: TokenTree = form;
    while (node.text === null) {
      const ids = [...node.next.keys()];
      const uniform = ids.length === 1 ? 0 : (generator.next() >>> 0) / 2 ** 32;
      const index = drawIndex(
        ids.map((id) => contextual(state, id)),
        temperature,
        uniform,
      );
      state.push(ids[index]!);
      node = node.next.get(ids[index]!)!;
    }
    return node.text;
  });
}

async function write(sequences: Fake[], rows: readonly FormedRow[], kept = 0) {
  return await writeReplies(sequences, rows, { kept, cells: 1000, batchSize: 1000, textOf });
}
const textsOf = (generations: Awaited<ReturnType<typeof write>>) =>
  generations.map((row) => row.map((each) => (each.kind === 'text' ? each.text : each.message)));
/** The sum over the vocabulary has room for every token of the form. */
const ROOM = { sum: 100 };
const fakes = (count: number, options = {}) =>
  Array.from({ length: count }, () => fakeSequence(contextual, { ...ROOM, ...options }));

const MASS = { allowedMass: expect.any(Number) };

describe('writeReplies', () => {
  it('writes what every sample would write by itself, whatever rows stand beside it', async () => {
    const all = textsOf(await write(fakes(4), ROWS));
    expect(all).toEqual(ROWS.map(expected));
    expect(new Set(all.flat()).size).toBeGreaterThan(10);
    for (const row of ROWS) expect(textsOf(await write(fakes(1), [row]))).toEqual([expected(row)]);
    expect(textsOf(await write(fakes(2), [ROWS[3]!, ROWS[0]!]))).toEqual([expected(ROWS[3]!), expected(ROWS[0]!)]);
  });

  it('fails a row whose tokens are likelier than all of the vocabulary, as its sum was cut', async () => {
    const nearMaximum = fakeSequence(() => -0.06, { sum: 1 });
    const [texts] = textsOf(await write([nearMaximum], [rowOf(1)]));
    expect(new Set(texts)).toEqual(new Set([expect.stringMatching(/a probability of [\d.]+ together; .* was cut$/)]));
  });

  it('goes on after tokens that the sequence keeps', async () => {
    const sequences = fakes(2);
    const rows = [ROWS[0]!, { ...ROWS[0]!, samples: [{ seed: 3, temperature: 1 }] }];
    await Promise.all(sequences.map((each) => each.controlledEvaluate(rows[0]!.tokens.slice(0, 4) as never)));
    expect(textsOf(await write(sequences, rows, 4))).toEqual(rows.map(expected));
  });

  it('evaluates the prompt again where the state does not reach back or cannot be cut back', async () => {
    expect(textsOf(await write(fakes(4, { erases: false }), ROWS))).toEqual(ROWS.map(expected));
    // The window holds a whole reply with its prompt, but not the filler after it.
    expect(textsOf(await write(fakes(4, { window: 14 }), ROWS))).toEqual(ROWS.map(expected));
  });

  it('evaluates the prompt once and asks nothing where one token must follow', async () => {
    const [sequence] = fakes(1);
    const one = { ...ROWS[0]!, samples: [{ seed: 1, temperature: 0 }] };
    const [[reply]] = (await write([sequence!], [one])) as unknown as [[{ text: string; tokens: number }]];
    const tokens = reply.text.split(' ').map(Number);
    expect(reply.tokens).toBe(tokens.length);
    const evaluated = sequence!.calls.flat();
    expect(evaluated.slice(0, 6)).toEqual(one.tokens);
    // The last digit and the end follow from what was read before them.
    expect(evaluated.slice(6)).toEqual(tokens.slice(0, -2));
    expect(sequence!.calls.length).toBe(4);
  });

  it('never lets one row alone be evaluated while others are there', async () => {
    const sequences = fakes(2);
    const few = { ...ROWS[1]!, samples: ROWS[1]!.samples.slice(0, 1) };
    expect(textsOf(await write(sequences, [ROWS[0]!, few]))).toEqual([expected(ROWS[0]!), expected(few)]);
    const [a, b] = sequences.map(({ calls }) => calls.map(({ length }) => length));
    expect(a!.length).toBe(b!.length);
    expect(a).toEqual(b);
  });

  it('cuts a reply at its limit and says so', async () => {
    const [[reply]] = (await write(fakes(1), [{ ...ROWS[0]!, maxTokens: 3 }])) as [[unknown]];
    const whole = expected(ROWS[0]!)[0]!.split(' ');
    expect(reply).toEqual({ kind: 'text', text: whole.slice(0, 3).join(' '), tokens: 3, ended: false, ...MASS });
  });

  it('gives each reply the probability that a model writing freely stays within the form', async () => {
    const [row] = await write(fakes(1), [ROWS[0]!]);
    const masses = row!.map((reply) => (reply.kind === 'text' ? reply.allowedMass : undefined));
    for (const mass of masses) {
      expect(mass).toBeGreaterThan(0);
      expect(mass).toBeLessThan(1);
    }
  });

  it('a row that fails does not take others with it', async () => {
    const broken = fakeSequence(contextual, { ...ROOM, failsAt: 2 });
    const missing = fakeSequence(() => Number.NaN);
    const [good] = fakes(1);
    const found = textsOf(await write([broken, missing, good!], ROWS.slice(0, 3)));
    expect(new Set(found[0])).toEqual(new Set(['decode failed']));
    expect(new Set(found[1])).toEqual(new Set(['the logit of option 1 is NaN; expected a finite number']));
    expect(found[2]).toEqual(expected(ROWS[2]!));
  });
});
