import { describe, expect, it } from 'vitest';
import type { ScoredRow } from '../../src/contract/scored-row.js';
import { modelTask } from '../../src/engine/model-task.js';
import type { Backend, ContextRequest, Evaluation, EvaluationRow } from '../../src/engine/protocol/backend.js';
import type { FromWorker, WirePrompt } from '../../src/engine/protocol/protocol.js';
import { backend as stub } from './stub-backend.js';
import { PLAN, runTask, withContext } from './stub-task.js';

const prompt = (id: string, text: string): WirePrompt => ({
  id,
  text,
  mode: 'letter',
  continuations: ['A', 'B'],
  answerPrefix: null,
});

/** The stub with other logits, and `tokens` in place of the size of a sequence. */
const evaluating = (
  change: (request: ContextRequest, rows: readonly EvaluationRow[]) => Promise<Evaluation[]>,
  tokens?: number,
) =>
  withContext((context, request) => ({
    tokensPerSequence: tokens ?? context.tokensPerSequence,
    evaluate: (rows) => change(request, rows),
  }));

describe('modelTask', () => {
  it('every prompt of every job ends as one row, and each batch is announced before its rows', async () => {
    const jobs = [0, 1].map((job) =>
      Array.from({ length: 9 }, (_, n) => prompt(`${job}-${n}`, `${'x'.repeat(n + 1)}`)),
    );
    const { sent, rows, last } = await runTask(jobs);
    expect(rows.size).toBe(18);
    expect([...rows.values()].every((row) => row.status === 'ok')).toBe(true);
    const announced = sent.flatMap((message) => (message.kind === 'batch' ? message.ids : []));
    expect(announced.sort()).toEqual([...rows.keys()].sort());
    expect(last).toEqual({ kind: 'done', stopped: false });
  });

  it('reads each option at the last token of the prompt, in option order', async () => {
    const { rows } = await runTask([[prompt('q', 'ab')]], {
      backend: evaluating(async (_, given) =>
        given.map(({ tokens, optionIds }) => ({
          kind: 'logits',
          // The position of the last token, then the id of each option.
          logits: [tokens.length - 1, ...optionIds.slice(1)],
          maxLogit: 100,
          totalWeight: 1,
        })),
      ),
    });
    // start token, "a", "b", " ": position 3; the second option is "B".
    expect(Array.from((rows.get('q') as Extract<ScoredRow, { status: 'ok' }>).logits)).toEqual([3, 10 + 66]);
  });

  it('a prompt that is too long for one sequence is a failed row, and is not evaluated', async () => {
    const evaluated: number[] = [];
    const { rows } = await runTask(
      [[...Array.from({ length: 9 }, (_, n) => prompt(`short-${n}`, 'x')), prompt('long', 'x'.repeat(700))]],
      {
        plan: { contextSize: 512 },
        backend: evaluating(async (_, given) => {
          evaluated.push(...given.map((row) => row.tokens.length));
          return given.map(() => ({ kind: 'logits', logits: [1, 2], maxLogit: 2, totalWeight: 2 }));
        }),
      },
    );
    expect(rows.get('long')).toEqual({
      status: 'failed',
      id: 'long',
      reason: 'the prompt has 702 tokens, but one sequence of the context holds 511; nothing was evaluated',
      promptTokens: 702,
    });
    expect([...rows.values()].filter((row) => row.status === 'ok')).toHaveLength(9);
    expect(Math.max(...evaluated)).toBeLessThan(512);
  });

  it('checks against what one sequence really has, not what was asked for', async () => {
    const { rows } = await runTask([[prompt('q', 'x'.repeat(600))]], {
      plan: { contextSize: 2048 },
      backend: evaluating(async (_, given) => given.map(() => ({ kind: 'error', message: 'evaluated' })), 256),
    });
    expect(rows.get('q')).toMatchObject({ status: 'failed', reason: expect.stringContaining('holds 255') });
  });

  it('a prompt beyond the context that the model was trained on is a failed row', async () => {
    const { rows } = await runTask([[prompt('q', 'x'.repeat(5000)), prompt('ok', 'x')]]);
    expect(rows.get('q')).toMatchObject({ status: 'failed', reason: expect.stringContaining('trained on 4096') });
    expect(rows.get('ok')).toMatchObject({ status: 'ok' });
  });

  it('rows with NaN, -Infinity or a missing logit fail alone', async () => {
    const { rows } = await runTask([
      [prompt('a', 'NAN'), prompt('b', 'fine'), prompt('c', 'INF'), prompt('d', 'MISSING')],
    ]);
    expect(['a', 'b', 'c', 'd'].map((id) => rows.get(id)!.status)).toEqual(['failed', 'ok', 'failed', 'failed']);
  });

  it('a prompt that makes the whole batch fail does not take its neighbours with it', async () => {
    const { rows } = await runTask([[prompt('a', 'plain'), prompt('b', 'THROW'), prompt('c', 'other')]]);
    expect(rows.get('b')).toMatchObject({ status: 'failed', reason: 'evaluation failed: decode failed' });
    expect([rows.get('a')!.status, rows.get('c')!.status]).toEqual(['ok', 'ok']);
  });

  it('10,000 rows on 2 sequences, every tenth throws: 9,000 scored, 1,000 failed', async () => {
    const prompts = Array.from({ length: 10_000 }, (_, n) => prompt(`q${n}`, n % 10 === 9 ? 'THROW' : 'plain'));
    const { rows, last } = await runTask([prompts], { plan: { sequences: 2 } });
    const failed = [...rows.values()].filter((row) => row.status === 'failed');
    expect([rows.size - failed.length, failed.length]).toEqual([9000, 1000]);
    expect(last).toEqual({ kind: 'done', stopped: false });
  });

  it('one stored row whatever its neighbours, order and batch size', async () => {
    const prompts = Array.from({ length: 30 }, (_, n) => prompt(`q${n}`, `text number ${n * 37}`));
    const first = await runTask([prompts]);
    const reversed = await runTask([[...prompts].reverse()], { plan: { sequences: 3 } });
    const alone = await runTask([[prompts[17]!]]);
    expect(reversed.rows.get('q17')).toEqual(first.rows.get('q17'));
    expect(alone.rows.get('q17')).toEqual(first.rows.get('q17'));
  });

  it('fixes the size of a sequence by the longest prompt and halves sequences when memory lacks', async () => {
    const asked: ContextRequest[] = [];
    const small: Backend = {
      ...stub,
      load: async (request) => {
        const model = await stub.load(request);
        return {
          ...model,
          openContext: async (context) => {
            asked.push(context);
            if (context.sequences > 1) throw new Error('out of memory');
            return await model.openContext(context);
          },
        };
      },
    };
    const { last } = await runTask([[prompt('q', 'x'.repeat(100))]], { backend: small, plan: { company: 'if-exact' } });
    expect(last).toMatchObject({ kind: 'done' });
    expect(asked.map(({ sequences, contextSize }) => [sequences, contextSize])).toEqual([
      [4, 103],
      [2, 103],
      [1, 103],
    ]);
  });

  it('fails the model, with the size, when not even one sequence fits', async () => {
    const { last } = await runTask([[prompt('q', 'x')]], {
      plan: { sequences: 1 },
      backend: {
        ...stub,
        load: async (request) => ({
          ...(await stub.load(request)),
          openContext: async () => {
            throw new Error('out of memory');
          },
        }),
      },
    });
    expect(last).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/no context of 4 tokens .*out of memory/),
    });
  });

  describe('tokenises with the vocabulary alone while the weights come', () => {
    const prompts = Array.from({ length: 45 }, (_, n) => prompt(`q${n}`, 'x'.repeat(1 + (n % 7))));
    const long = prompts.map((each) => ({ ...each, text: each.text.padEnd(70, '.') }));

    it('and gives the rows of a task that did not; nothing of the vocabulary stays', async () => {
      const seen: string[] = [];
      let arrive = () => {};
      const weights = new Promise<void>((resolve) => {
        arrive = resolve;
      });
      let tokenised = 0;
      const backend: Backend = {
        ...stub,
        async load(request) {
          const name = request.vocabOnly === true ? 'vocabulary' : 'whole';
          seen.push(`${name} asked for`);
          const model = await stub.load(request);
          // The weights never come unless most prompts are tokenised before.
          if (name === 'whole') await weights;
          return {
            ...model,
            tokenize: (text) => {
              tokenised += 1;
              if (name === 'vocabulary' && tokenised === 40) arrive();
              return model.tokenize(text);
            },
            async close() {
              seen.push(`${name} closed`);
            },
          };
        },
      };
      const meanwhile = await runTask([long], { backend, tokeniseMeanwhile: true });
      expect(seen).toEqual(['vocabulary asked for', 'whole asked for', 'vocabulary closed', 'whole closed']);
      const plain = await runTask([long]);
      expect(meanwhile.rows.size).toBe(45);
      expect(meanwhile).toEqual(plain);
    });

    it('and after them where the vocabulary does not come alone; a file that cannot be loaded fails once', async () => {
      const alone: Backend = {
        ...stub,
        load: async (request) => (request.vocabOnly === true ? Promise.reject(new Error('no')) : stub.load(request)),
      };
      const late = await runTask([long], { backend: alone, tokeniseMeanwhile: true });
      expect(late).toEqual(await runTask([long]));
      const without: Backend = {
        ...stub,
        load: async (request) => (request.vocabOnly === true ? stub.load(request) : Promise.reject(new Error('torn'))),
      };
      const { sent } = await runTask([long], { backend: without, tokeniseMeanwhile: true });
      expect(sent).toEqual([{ kind: 'failed', reason: 'torn' }]);
    });
  });

  it('fails a chat model whose file has no template', async () => {
    const { last } = await runTask([[prompt('q', 'x')]], { plan: { prompt: 'chat' } });
    expect(last).toMatchObject({ kind: 'failed', reason: expect.stringContaining('no chat template') });
  });

  it('records the start-token rule, native warnings and the self-check in the facts', async () => {
    const { sent } = await runTask([[prompt('a', 'x'), prompt('b', 'y')]]);
    const loaded = sent.find((message) => message.kind === 'loaded');
    expect(loaded).toMatchObject({
      facts: {
        bos: true,
        bosReason: 'the file says add_bos_token = true',
        warnings: ['a line of the native library'],
        selfCheck: { maxDifference: 0 },
      },
    });
  });

  it('warns when a prompt scores differently alone and in a batch', async () => {
    const { sent } = await runTask([[prompt('a', 'x'), prompt('b', 'y')]], {
      backend: evaluating(async (_, given) =>
        given.map(() => ({ kind: 'logits', logits: [given.length, 0], maxLogit: 2, totalWeight: 2 })),
      ),
    });
    const loaded = sent.find((message) => message.kind === 'loaded');
    expect(loaded).toMatchObject({ facts: { selfCheck: { maxDifference: 1 } } });
    expect(loaded?.facts.warnings.at(-1)).toContain('differ by up to 1 alone and in a batch');
  });

  it('puts short prompts apart where they move each other although nothing was to be seen of it', async () => {
    let apart = false;
    const backend = withContext(() => ({
      inTurn: true,
      sequences: 4,
      apart: () => {
        apart = true;
      },
      evaluate: async (rows) => {
        const noise = apart || rows.length === 1 ? 0 : 0.5;
        return rows.map(() => ({ kind: 'logits', logits: [1 + noise, 0], maxLogit: 2, totalWeight: 2 }));
      },
    }));
    const prompts = Array.from({ length: 6 }, (_, n) => prompt(`q${n}`, 'x'));
    const { sent, rows } = await runTask([prompts], { backend, plan: { company: 'never' } });
    expect([...rows.values()].map((row) => row.status === 'ok' && row.logits[0])).toEqual([1, 1, 1, 1, 1, 1]);
    const loaded = sent.find((message) => message.kind === 'loaded');
    expect(loaded?.facts.selfCheck).toMatchObject({ maxDifference: 0, tolerance: 0 });
  });

  it('contexts that the check leaves alone begin meanwhile, and again where prompts are put apart then', async () => {
    for (const trace of [0, 0.5]) {
      let apart = false;
      let opened = 0;
      let begun = () => {};
      const checking = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const backend = withContext(() => {
        const context = opened++;
        return {
          inTurn: true,
          sequences: 4,
          apart: () => {
            apart = true;
          },
          evaluate: async (rows) => {
            // The check waits for a context that it has nothing to do with.
            if (context === 2) begun();
            if (context === 0) await checking;
            const logit = apart || rows.length === 1 ? 1 : 1 + trace;
            return rows.map(() => ({ kind: 'logits', logits: [logit, 0], maxLogit: 2, totalWeight: 2 }));
          },
        };
      });
      const prompts = Array.from({ length: 23 }, (_, n) => prompt(`q${n}`, 'x'));
      const { sent, rows, last } = await runTask([prompts], { backend, plan: { company: 'never', contexts: 4 } });
      expect(last).toEqual({ kind: 'done', stopped: false });
      expect([...rows.values()].map((row) => row.status === 'ok' && row.logits[0])).toEqual(Array(23).fill(1));
      const kinds = sent.map(({ kind }) => kind);
      expect(kinds.slice(0, kinds.indexOf('loaded')).filter((kind) => kind === 'batch')).toHaveLength(3);
      const announced = sent.flatMap((message) => (message.kind === 'batch' ? message.ids : []));
      expect(announced.sort()).toEqual(prompts.map(({ id }) => id).sort());
    }
  });

  it('skipped prompts get no row and fill their batches up, and a batch of nothing else is not evaluated', async () => {
    const prompts = Array.from({ length: 12 }, (_, n) => prompt(`q${n}`, 'x'.repeat(n)));
    const batches = new Set<string>();
    // A logit that hangs on the batch.
    const backend = evaluating(async (_, rows) => {
      const lengths = rows.map(({ tokens }) => tokens.length).join(' ');
      if (rows.length > 1) batches.add(lengths);
      const logit = rows.reduce((sum, { tokens }) => sum + tokens.length, 0);
      return rows.map(() => ({ kind: 'logits', logits: [logit, 1], maxLogit: 100, totalWeight: 1 }));
    });
    const whole = await runTask([prompts], { backend });
    const all = [...batches];
    batches.clear();
    const skipped = ['q0', 'q1', 'q2', 'q3', 'q5', 'q6', 'q9'];
    const some = await runTask([prompts], { backend, skipped });
    expect([...some.rows.keys()].sort()).toEqual(['q10', 'q11', 'q4', 'q7', 'q8']);
    for (const [id, row] of some.rows) expect(row).toEqual(whole.rows.get(id));
    const announced = some.sent.flatMap((message) => (message.kind === 'batch' ? message.ids : []));
    expect(announced.sort()).toEqual([...some.rows.keys()].sort());
    expect(batches.size).toBeLessThan(all.length);
    expect(all).toEqual(expect.arrayContaining([...batches]));
  });

  it('a stop ends the task after the rows in hand', async () => {
    const sent: FromWorker[] = [];
    const task = modelTask(stub, (message) => {
      sent.push(message);
      if (message.kind !== 'rows') return;
      task.receive({ kind: 'stop' });
      task.receive({ kind: 'ack' });
    });
    task.receive({ kind: 'load', plan: PLAN });
    task.receive({ kind: 'prompts', job: 0, prompts: Array.from({ length: 40 }, (_, n) => prompt(`q${n}`, 'x')) });
    task.receive({ kind: 'start' });
    await task.ended;
    const rows = sent.flatMap((message) => (message.kind === 'rows' ? message.rows : []));
    expect(rows).toHaveLength(4);
    expect(sent.at(-1)).toEqual({ kind: 'done', stopped: true });
  });

  it.each([1, 2])(
    'with %i contexts has one batch in hand in each: the next waits until its rows are safe',
    async (contexts) => {
      const seen = { batch: 0, rows: 0 };
      const task = modelTask(stub, ({ kind }) => {
        if (kind === 'batch' || kind === 'rows') seen[kind]++;
      });
      task.receive({ kind: 'load', plan: { ...PLAN, contexts } });
      task.receive({ kind: 'prompts', job: 0, prompts: Array.from({ length: 80 }, (_, n) => prompt(`q${n}`, 'x')) });
      task.receive({ kind: 'start' });
      const turns = async (count: number) => {
        for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
      };
      for (let acks = 0; acks < 20; acks++) {
        const inHand = Math.min(contexts, 20 - acks, acks === 0 ? 1 : contexts);
        for (let tries = 0; seen.rows < acks + inHand && tries < 1000; tries++) await turns(10);
        await turns(20);
        expect(seen).toEqual({ batch: acks + inHand, rows: acks + inHand });
        task.receive({ kind: 'ack' });
      }
      await task.ended;
      expect(seen.rows).toBe(20);
    },
  );
});
