import { describe, expect, it } from 'vitest';
import type { TailsRow } from '../../src/engine/protocol/backend.js';
import type { WirePrompt, WorkerPlan } from '../../src/engine/protocol/protocol.js';
import { runTask, withContext } from './stub-task.js';

/** Options in every cyclic order, labels by position. */
function ask(id: string, question: string, options: readonly string[]): WirePrompt {
  const rotations = options.map((_, r) => {
    const shown = options.map((_, p) => `${'ABCDE'[p]}. ${options[(p + r) % options.length]}`);
    const continuations = options.map((_, k) => 'ABCDE'[(k - r + options.length) % options.length]!);
    return { text: `${question}\n${shown.join('\n')}\nAnswer:`, continuations };
  });
  return { id, ...rotations[0]!, mode: 'rotations', rotations, answerPrefix: null };
}

async function run(prompts: WirePrompt[], plan: Partial<WorkerPlan> = {}) {
  const asked: TailsRow[] = [];
  const backend = withContext((context) => ({
    evaluateTails: (rows, shared) => {
      asked.push(...rows);
      return context.evaluateTails(rows, shared);
    },
  }));
  const { rows, last } = await runTask([prompts], { plan, backend });
  return { rows, asked, last };
}

const okRow = (row: unknown) => row as { logits: Float32Array; promptTokens: number; optionMass: number };

describe('a task with rotations', () => {
  it('gives K x K logits, those of each rotation as its plain letter prompt has them', async () => {
    const prompt = ask('q', 'Which colour is the sky?', ['blue', 'green', 'red']);
    const plain = prompt.rotations!.map(
      (rotation, r): WirePrompt => ({ id: `p${r}`, ...rotation, mode: 'letter', answerPrefix: null }),
    );
    const { rows } = await run([prompt, ...plain]);
    const expected = plain.flatMap(({ id }) => Array.from(okRow(rows.get(id)).logits));
    expect(Array.from(okRow(rows.get('q')).logits)).toEqual(expected);
    expect(expected).toHaveLength(9);
    const masses = plain.map(({ id }) => okRow(rows.get(id)).optionMass);
    expect(okRow(rows.get('q')).optionMass).toBeCloseTo(masses.reduce((a, b) => a + b) / 3, 12);
  });

  it('evaluates what the rotations begin with once, and counts the tokens of stem and tails', async () => {
    const prompt = ask('q', 'Question?', ['ab', 'cd']);
    const { asked, rows } = await run([prompt]);
    const stem = '<s>Question?\nA. ';
    // One token per character, <s> is one; the space before the label is part of every tail.
    expect(asked[0]!.tokens).toHaveLength(stem.length - 2);
    expect(asked[0]!.tails.map((tail) => tail.tokens.length)).toEqual([17, 17]);
    expect(okRow(rows.get('q')).promptTokens).toBe(14 + 2 * 17);
  });

  it('takes examples with different numbers of options together', async () => {
    const prompts = [2, 5, 3, 4, 2].map((count, n) =>
      ask(
        `q${n}`,
        `Pick ${n}`,
        [...'vwxyz'].slice(0, count).map((letter) => letter.repeat(3)),
      ),
    );
    const { rows } = await run(prompts);
    expect(prompts.map(({ id }) => okRow(rows.get(id)).logits.length)).toEqual([4, 25, 9, 16, 4]);
  });

  it('has the logits of the last orders alone where the first is not asked for, and names an order by its place among all', async () => {
    const prompt = ask('q', 'Which colour is the sky?', ['blue', 'green', 'red']);
    const others: WirePrompt = { ...prompt, id: 'others', rotations: prompt.rotations!.slice(1) };
    const bad = ask('bad', 'x', ['a', 'NAN b', 'c']);
    const refused: WirePrompt = {
      ...ask('twins', 'x', ['a', 'b']),
      rotations: [{ text: 'x', continuations: ['A', 'A'] }],
    };
    const { rows } = await run([prompt, others, { ...bad, rotations: bad.rotations!.slice(1) }, refused]);
    expect(Array.from(okRow(rows.get('others')).logits)).toEqual(Array.from(okRow(rows.get('q')).logits).slice(3));
    expect(rows.get('bad')).toMatchObject({ reason: expect.stringMatching(/^rotation 2: /) });
    expect(rows.get('twins')).toMatchObject({ reason: expect.stringMatching(/^rotation 2: /) });
  });

  it('comes after every plain row is safe, also one that another context is still at', async () => {
    const events: string[] = [];
    let contexts = 0;
    const backend = withContext((context) => {
      const slow = contexts++ === 1;
      return {
        evaluate: async (rows, shared) => {
          // Long after the other context has no plain prompt left.
          if (slow) for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
          return context.evaluate(rows, shared);
        },
        evaluateTails: (rows, shared) => {
          events.push('orders begin');
          return context.evaluateTails(rows, shared);
        },
      };
    });
    const plain = [...'abcdefgh'].map((id): WirePrompt => ({ ...ask(id, id, ['x', 'y']), mode: 'letter' }));
    const rotated = ['p', 'q', 'r'].map((id) => ask(id, id, ['x', 'y']));
    const onRows = (ids: readonly string[]) => void events.push(...ids);
    await runTask([rotated, plain], { plan: { contexts: 2, sequences: 1 }, backend, onRows });
    const before = events.slice(0, events.indexOf('orders begin'));
    expect([contexts, before.toSorted()]).toEqual([2, [...'abcdefgh']]);
    expect(events.filter((event) => 'pqr'.includes(event)).toSorted()).toEqual(['p', 'q', 'r']);
  });

  it('a rotation that fails fails its row, by number, and no other', async () => {
    const { rows } = await run([ask('bad', 'x', ['a NAN', 'b']), ask('good', 'y', ['a', 'b'])]);
    expect(rows.get('bad')).toMatchObject({ status: 'failed', reason: expect.stringMatching(/^rotation 1: .*NaN/) });
    expect(rows.get('good')).toMatchObject({ status: 'ok' });
  });

  it('refuses labels that share a token, and a rotation too long for the sequence', async () => {
    const twins: WirePrompt = { ...ask('twins', 'x', ['a', 'b']) };
    const rotations = twins.rotations!.map((rotation) => ({ ...rotation, continuations: ['A', 'A'] }));
    const long = ask('long', 'y'.repeat(200), ['a', 'b']);
    const { rows } = await run([{ ...twins, rotations }, long, ask('short', 'z', ['a', 'b'])], { contextSize: 100 });
    expect(rows.get('twins')).toMatchObject({ reason: expect.stringMatching(/^rotation 1: .*scored token/) });
    expect(rows.get('long')).toMatchObject({
      reason: expect.stringMatching(/^the longest rotation of the prompt has 22\d tokens/),
    });
    expect(rows.get('short')).toMatchObject({ status: 'ok' });
  });
});

describe('a task with plain prompts and the other orders of their options', () => {
  const both = ['sky', 'grass', 'NAN'].map((id, n) =>
    ask(id, `Which colour is the ${id}?`, ['blue', 'green', `red ${n}`]),
  );
  const plain = both.map((prompt): WirePrompt => ({ ...letter(prompt), id: prompt.id }));
  const others = both.map((prompt): WirePrompt => ({ ...prompt, rotations: prompt.rotations!.slice(1) }));
  const otherOrders = [{ plain: 0, orders: 1 }];

  function letter({ rotations: _, ...prompt }: WirePrompt): WirePrompt {
    return { ...prompt, mode: 'letter' };
  }

  async function task(jobs: WirePrompt[][], options: Parameters<typeof runTask>[1] = {}) {
    const tails: TailsRow[] = [];
    const backend = withContext((context) => ({
      evaluateTails: async (rows, shared) => {
        tails.push(...rows);
        if (rows.some((row) => row.tails.length === 3 && row.tokens.length % 2 === 1 && options.plan?.model === 'bad'))
          return rows.map(() => ({ kind: 'error', message: 'no room' }));
        return context.evaluateTails(rows, shared);
      },
    }));
    const { sent } = await runTask(jobs, { otherOrders, backend, ...options });
    const rowsOf = (job: number) =>
      sent.flatMap((message) => (message.kind === 'rows' && message.job === job ? [...message.rows] : []));
    const byId = (job: number) => new Map(rowsOf(job).map((row) => [row.id, row]));
    return { plain: byId(0), orders: byId(1), tails, last: sent.at(-1) };
  }

  it('evaluates what they begin with once, and has the rows of both as each would have them alone', async () => {
    const together = await task([plain, others]);
    const apart = await task([plain, others], { otherOrders: [] });
    expect(together.tails.map((row) => row.tails.length)).toEqual([3, 3, 3]);
    expect(apart.tails.map((row) => row.tails.length)).toEqual([2, 2, 2]);
    expect(together.plain).toEqual(apart.plain);
    for (const id of ['sky', 'grass']) {
      const [first, rest, row] = [apart.plain, apart.orders, together.orders].map((rows) => okRow(rows.get(id)));
      expect(Array.from(row!.logits)).toEqual([...first!.logits, ...rest!.logits]);
      expect(row).toMatchObject({ logZ: expect.any(Number), promptTokens: rest!.promptTokens });
      expect(row!.optionMass).toBe((first!.optionMass + 2 * rest!.optionMass) / 3);
    }
    expect(together.orders.get('NAN')).toEqual(apart.orders.get('NAN'));
  });

  it('keeps those apart whose plain row is there already, whose kernels know company, or whose row failed as one', async () => {
    const one = await task([plain.slice(1), others]);
    expect(one.tails.map((row) => row.tails.length).toSorted()).toEqual([2, 3, 3]);
    expect(okRow(one.orders.get('sky')).logits).toHaveLength(6);
    const repacked = await task([plain, others], { plan: { flashAttention: 'on' } });
    expect(repacked.tails.map((row) => row.tails.length)).toEqual([2, 2, 2]);
    const failed = await task([plain.slice(0, 1), others.slice(0, 1)], { plan: { model: 'bad' } });
    expect(failed.tails.map((row) => row.tails.length)).toEqual([3, 2]);
    expect([failed.plain.get('sky')!.status, okRow(failed.orders.get('sky')).logits.length]).toEqual(['ok', 6]);
  });

  it('leaves orders alone whose plain rows are to come from another child', async () => {
    const share = { index: 0, count: 1, ordersWithPlainOnly: true };
    const { plain: rows, orders } = await task([plain.slice(1), others], { plan: { share } });
    expect([[...rows.keys()].toSorted(), [...orders.keys()].toSorted()]).toEqual([
      ['NAN', 'grass'],
      ['NAN', 'grass'],
    ]);
  });
});
