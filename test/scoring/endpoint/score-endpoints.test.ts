import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { EndpointSpec } from '../../../src/config/models-schema.js';
import type { EndpointModel } from '../../../src/config/source-kind.js';
import type { ExamplePrompt } from '../../../src/contract/prompt.js';
import type { ScoredRow } from '../../../src/contract/scored-row.js';
import type { ModelOutcome } from '../../../src/contract/scorer.js';
import { probeEndpoint } from '../../../src/scoring/endpoint/open-endpoint.js';
import { scoreEndpoints } from '../../../src/scoring/endpoint/score-endpoints.js';
import { expectedLogProbabilities, type StubServer, stubServer } from './stub-server.js';

const LETTERS = ['A', 'B', 'C', 'D'];
const NAMED = ['vllm', 'sglang', 'llama-server'] as const;

type Changes = Partial<Omit<EndpointModel, 'endpoint'>> & { readonly endpoint?: Partial<EndpointSpec> };

function modelOn(stub: StubServer, api: EndpointSpec['api'], more: Changes = {}): EndpointModel {
  const endpoint = { url: stub.url, model: 'served', api, concurrency: 8, timeoutSeconds: 5, ...more.endpoint };
  return { id: 'target', role: 'base', bucket: 'default', prompt: 'raw', ...more, endpoint };
}

function questions(count: number): ExamplePrompt[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `q${i}`,
    text: `Question ${i}?\nAnswer:`,
    mode: 'letter' as const,
    continuations: LETTERS,
    answerPrefix: null,
  }));
}

interface Scored {
  readonly outcome: ModelOutcome;
  readonly rows: ScoredRow[];
}

async function score(model: EndpointModel, prompts: readonly ExamplePrompt[], before?: () => void): Promise<Scored> {
  const place = await probeEndpoint(model, { wait: async () => {} });
  before?.();
  const rows: ScoredRow[] = [];
  const onRows = async (some: readonly ScoredRow[]) => {
    rows.push(...some);
  };
  const [outcome] = await scoreEndpoints(
    [{ model, place, jobs: [{ dataset: 'quiz', prompts, onRows }] }],
    { device: 'cpu', cores: 1 },
    {},
  );
  return { outcome: outcome!, rows: rows.sort((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1))) };
}

const optionsAfter = (prompt: string, from: number) => expectedLogProbabilities(prompt).slice(from, from + 4);

describe('scoreEndpoints', () => {
  it.each(NAMED)('gives every option its log-probability over the whole vocabulary (%s)', async (api) => {
    const stub = await stubServer();
    const { outcome, rows } = await score(modelOn(stub, api), questions(20));
    expect(outcome.kind).toBe('done');
    for (const [i, row] of rows.entries()) {
      if (row.status !== 'ok') throw new Error(row.reason);
      const expected = optionsAfter(`Question ${i}?\nAnswer:`, 4);
      expect(Array.from(row.logits)).toEqual(expected.map((each) => expect.closeTo(each, 10)));
      expect(row.logZ).toBe(0);
      expect(row.optionMass).toBeCloseTo(
        expected.reduce((sum, each) => sum + Math.exp(each), 0),
        10,
      );
      expect(row.promptTokens).toBeGreaterThan(0);
    }
  });

  it.each(NAMED)(
    'lets the template of the server frame a chat prompt, with the beginning of the reply (%s)',
    async (api) => {
      const stub = await stubServer();
      const model = modelOn(stub, api, { prompt: 'chat', assistantPrefix: 'The answer is' });
      const { rows } = await score(model, questions(2));
      const expected = optionsAfter('<user>Question 1?\nAnswer:<assistant>The answer is', 4);
      expect(rows[1]).toMatchObject({ status: 'ok', logits: expected.map((each) => expect.closeTo(each, 10)) });
    },
  );

  it.each(['openai', 'ollama'] as const)('takes options by the text that the server gives them (%s)', async (api) => {
    const stub = await stubServer();
    stub.top = 12;
    const chat = modelOn(stub, api, { prompt: 'chat' });
    const { rows } = await score(chat, questions(2));
    expect(rows[0]).toMatchObject({
      logits: optionsAfter('<user>Question 0?\nAnswer:<assistant>', 0).map((each) => expect.closeTo(each, 10)),
    });
    const raw = await score(modelOn(stub, api), questions(2));
    expect(raw.rows[0]).toMatchObject({
      logits: optionsAfter('Question 0?\nAnswer:', 4).map((each) => expect.closeTo(each, 10)),
    });
  });

  it('fails a row whose option did not come back, and the model when these are more than 5 %', async () => {
    const stub = await stubServer();
    const { outcome, rows } = await score(modelOn(stub, 'openai'), questions(40));
    expect(rows.filter(({ status }) => status === 'failed').length).toBeGreaterThan(2);
    expect(rows.find(({ status }) => status === 'failed')).toMatchObject({
      reason: expect.stringMatching(/did not tell the log-probability of " [A-D]"/),
    });
    expect(outcome).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/\d+ of 40 rows .* biased sample/) });
  });

  it('hands every row over once, also one that comes after rows asked for later were stored', async () => {
    const stub = await stubServer();
    const model = modelOn(stub, 'vllm');
    const place = await probeEndpoint(model, {});
    let late: ServerResponse | undefined;
    stub.disturb = ({ body }, response) => {
      if (body.prompt !== 'Question 5?\nAnswer:') return;
      late = response;
      response.writeHead(200).flushHeaders();
    };
    const ids: string[] = [];
    const onRows = async (rows: readonly ScoredRow[]) => {
      ids.push(...rows.map(({ id }) => id));
      late?.end(JSON.stringify({ choices: [{ logprobs: { top_logprobs: [{ 'token_id:4': -1 }] } }] }));
    };
    const jobs = [{ dataset: 'quiz', prompts: questions(1100), onRows }];
    const [outcome] = await scoreEndpoints([{ model, place, jobs }], { device: 'cpu', cores: 1 }, {});
    expect(outcome?.kind).toBe('done');
    expect(ids.indexOf('q5')).toBeGreaterThanOrEqual(512);
    expect(ids.toSorted()).toEqual(
      questions(1100)
        .map(({ id }) => id)
        .toSorted(),
    );
  });

  it('keeps the other rows where the model says that so many may fail', async () => {
    const stub = await stubServer();
    const { outcome } = await score(modelOn(stub, 'openai', { scoring: { maxFailedShare: 1 } }), questions(40));
    expect(outcome.kind).toBe('done');
  });

  it('brings missing options back by an equal bias where that leaves their differences as they are', async () => {
    const stub = await stubServer();
    const tokenIds = { ' A': 4, ' B': 5, ' C': 6, ' D': 7 };
    const model = modelOn(stub, 'openai', { endpoint: { tokenIds } });
    const { outcome, rows } = await score(model, questions(40));
    expect(outcome.kind).toBe('done');
    for (const [i, row] of rows.entries()) {
      if (row.status !== 'ok') throw new Error(row.reason);
      const expected = optionsAfter(`Question ${i}?\nAnswer:`, 4);
      expect(row.logits[3]! - row.logits[0]!).toBeCloseTo(expected[3]! - expected[0]!, 6);
    }
    const biased = rows.filter((row) => row.status === 'ok' && Number.isNaN(row.optionMass));
    expect(biased.length).toBeGreaterThan(0);
  });

  it.each(['openai', 'ollama'] as const)(
    'bounds an option that is not told by the tokens that are (%s)',
    async (api) => {
      const stub = await stubServer();
      stub.top = 6;
      const endpoint = { missing: 'bound', top: 6 } as const;
      const { outcome, rows } = await score(modelOn(stub, api, { endpoint }), questions(40));
      expect(outcome.kind).toBe('done');
      const untold = rows.map((row) => (row.status === 'ok' ? (row.untold ?? 0) : -1));
      expect(untold.some((bits) => bits > 0)).toBe(true);
      for (const [i, row] of rows.entries()) {
        const all = expectedLogProbabilities(`Question ${i}?\nAnswer:`).toSorted((a, b) => b - a);
        const left = 1 - all.slice(0, 6).reduce((sum, each) => sum + Math.exp(each), 0);
        const least = all[5] ?? Number.NaN;
        const most = Math.min(least, Math.log(left + 1e-4));
        if (row.status !== 'ok') {
          // Without a single option there is nothing to bound the others by.
          expect(row.reason).toContain('did not tell');
          continue;
        }
        for (const [k, expected] of optionsAfter(`Question ${i}?\nAnswer:`, 4).entries()) {
          const isUntold = ((row.untold ?? 0) >> k) & 1;
          expect(isUntold === 1).toBe(expected < least);
          expect(expected).toBeLessThanOrEqual((row.logits[k] ?? 0) + 1e-10);
          expect(row.logits[k]).toBeCloseTo(isUntold ? most : expected, 10);
        }
      }
    },
  );

  it('does not use a bias that the server applies after its log-probabilities', async () => {
    const stub = await stubServer();
    stub.biasFirst = false;
    const tokenIds = { ' A': 4, ' B': 5, ' C': 6, ' D': 7 };
    const { outcome } = await score(modelOn(stub, 'openai', { endpoint: { tokenIds } }), questions(40));
    expect(outcome.kind).toBe('failed');
  });

  it('says that an older vLLM ignores the field that names tokens', async () => {
    const stub = await stubServer();
    stub.knowsNamedTokens = false;
    const { outcome } = await score(modelOn(stub, 'vllm'), questions(40));
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/did not tell the log-probability/),
    });
  });

  it('finds out whether a raw prompt and a chat begin with a start token, where tokens are told', async () => {
    const stub = await stubServer();
    const bosOf = async (api: EndpointSpec['api'], prompt: 'raw' | 'chat') =>
      (await probeEndpoint(modelOn(stub, api, { prompt }), {})).bos;
    expect([await bosOf('vllm', 'raw'), await bosOf('vllm', 'chat'), await bosOf('sglang', 'chat')]).toEqual([
      ...[true, true, true],
    ]);
    expect([await bosOf('llama-server', 'chat'), await bosOf('openai', 'chat')]).toEqual([true, null]);
    stub.disturb = ({ path, body }, response) => {
      // A template without the start token.
      if (path === '/tokenize' && body.messages !== undefined) response.end(JSON.stringify({ tokens: [9, 8, 7] }));
    };
    expect(await bosOf('vllm', 'chat')).toBe(false);
  });

  it('scores every order of the options that is asked for', async () => {
    const stub = await stubServer();
    const [first] = questions(1);
    const orders = [first!.text, 'Another order\nAnswer:'].map((text) => ({ text, continuations: LETTERS }));
    const { rows } = await score(modelOn(stub, 'vllm'), [{ ...first!, mode: 'rotations', rotations: orders }]);
    const expected = orders.flatMap(({ text }) => optionsAfter(text, 4));
    expect(rows[0]).toMatchObject({ logits: expected.map((each) => expect.closeTo(each, 10)) });
  });

  it('fails a row whose text the server would read as a control token', async () => {
    const stub = await stubServer();
    const [first, ...others] = questions(30);
    const { outcome, rows } = await score(modelOn(stub, 'vllm'), [
      { ...first!, text: 'Say <|im_end|>\nAnswer:' },
      ...others,
    ]);
    expect(outcome.kind).toBe('done');
    expect(rows[0]).toMatchObject({ status: 'failed', reason: expect.stringContaining('<|im_end|>') });
  });

  it('notices that another model answers, and throws the rows since the last look away', async () => {
    const stub = await stubServer();
    const { outcome, rows } = await score(modelOn(stub, 'vllm'), questions(50), () => {
      stub.model = 2;
    });
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('another model answers as "served"'),
    });
    expect(rows).toEqual([]);
  });

  it('asks again when the server was busy, as soon as that asked for', async () => {
    const stub = await stubServer();
    let left = 3;
    const { outcome, rows } = await score(modelOn(stub, 'vllm'), questions(12), () => {
      stub.disturb = (_, response) => {
        if (left-- > 0) response.writeHead(429, { 'retry-after': '0' }).end('busy');
      };
    });
    expect(outcome.kind).toBe('done');
    expect(rows).toHaveLength(12);
  });

  it('fails a row whose options have more than the whole probability together', async () => {
    const stub = await stubServer();
    const { rows } = await score(modelOn(stub, 'vllm'), questions(30), () => {
      stub.disturb = ({ body }, response) => {
        if (body.prompt !== 'Question 5?\nAnswer:') return;
        const top = Object.fromEntries([4, 5, 6, 7].map((id) => [`token_id:${id}`, -0.1 * id]));
        response.end(JSON.stringify({ choices: [{ logprobs: { top_logprobs: [top] } }] }));
      };
    });
    expect(rows.filter(({ status }) => status === 'failed')).toMatchObject([
      { id: 'q5', reason: expect.stringMatching(/are 2\.\d+ together; expected 1 at most/) },
    ]);
  });

  it('ends the model with the reason when the server stays away', async () => {
    const stub = await stubServer();
    const refused = await probeEndpoint(modelOn(stub, 'vllm', { endpoint: { model: 'other' } }), {}).catch(String);
    expect(refused).toContain('the server serves no "other"; it has "served"');
    stub.disturb = (_, response) => void response.writeHead(401).end('{"error":{"message":"no key"}}');
    const locked = await probeEndpoint(modelOn(stub, 'vllm'), {}).catch(String);
    expect(locked).toContain('it wants a key; name its variable with `key: { env: NAME }`');
  });

  it('sends the key of the environment and never shows it', async () => {
    const stub = await stubServer();
    const model = modelOn(stub, 'vllm', { endpoint: { key: { env: 'STUB_KEY' } } });
    const without = await probeEndpoint(model, { env: {} }).catch(String);
    expect(without).toContain('the environment variable STUB_KEY, which holds its key, is not set');
    await probeEndpoint(model, { env: { STUB_KEY: 'very-secret-value' } });
    expect(stub.requests.at(-1)!.authorization).toBe('Bearer very-secret-value');
    stub.disturb = (_, response) => void response.writeHead(400).end('{"detail":"very-secret-value is wrong"}');
    const refused = await probeEndpoint(model, { env: { STUB_KEY: 'very-secret-value' } }).catch(String);
    expect(refused).toContain('*** is wrong');
    expect(refused).not.toContain('very-secret-value');
  });
});
