import { describe, expect, it } from 'vitest';
import type { EndpointSpec } from '../../../src/config/models-schema.js';
import type { EndpointModel } from '../../../src/config/source-kind.js';
import type { ExamplePrompt, ReplyForm, TextScore } from '../../../src/contract/prompt.js';
import type { ModelRow } from '../../../src/contract/scored-row.js';
import { replyGrammar, replyRegex } from '../../../src/scoring/endpoint/api/reply-form.js';
import { probeEndpoint } from '../../../src/scoring/endpoint/open-endpoint.js';
import { scoreEndpoints } from '../../../src/scoring/endpoint/score-endpoints.js';
import { expectedText, type StubServer, stubServer } from './stub-server.js';

function modelOn(stub: StubServer, api: EndpointSpec['api'], more: Partial<EndpointModel> = {}): EndpointModel {
  const endpoint = { url: stub.url, model: 'served', api, concurrency: 4, timeoutSeconds: 5 };
  return { id: 'm', role: 'base', bucket: 'default', prompt: 'raw', scoring: { maxFailedShare: 1 }, ...more, endpoint };
}

async function rowsOf(model: EndpointModel, prompts: readonly ExamplePrompt[]): Promise<ModelRow[]> {
  const place = await probeEndpoint(model, { wait: async () => {} });
  const rows: ModelRow[] = [];
  const keep = async (some: readonly ModelRow[]) => void rows.push(...some);
  const jobs = [{ dataset: 'quiz', prompts, onRows: keep, ...(prompts[0]?.mode === 'reply' && { onReplies: keep }) }];
  const [outcome] = await scoreEndpoints([{ model, place, jobs }], { device: 'cpu', cores: 1 }, {});
  if (outcome?.kind !== 'done') throw new Error(JSON.stringify(outcome));
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

const TEXTS = ['a café', 'the A', 'no'];
const question = (textScore: TextScore): ExamplePrompt => ({
  id: 'q0',
  text: 'What is it?\nAnswer:',
  mode: 'text',
  continuations: TEXTS,
  answerPrefix: null,
  textScore,
});
const scores = (values: readonly number[]) => Array.from(values, (value) => expect.closeTo(value, 4));

describe('whole texts asked of a server', () => {
  it.each(['vllm', 'sglang', 'llama-server', 'openai'] as const)(
    'have the sum of the log-probabilities of their tokens after the prompt (%s)',
    async (api) => {
      const stub = await stubServer();
      const [row] = await rowsOf(modelOn(stub, api), [question({ normalize: 'sum' })]);
      const expected = TEXTS.map((text) => expectedText('What is it?\nAnswer:', ` ${text}`).sum);
      expect(row).toMatchObject({ status: 'ok', logZ: 0 });
      expect(row?.status === 'ok' && Array.from(row.logits)).toEqual(scores(expected));
    },
  );

  it.each(['vllm', 'sglang', 'llama-server'] as const)('stand in the reply of a chat (%s)', async (api) => {
    const stub = await stubServer();
    const model = modelOn(stub, api, { prompt: 'chat', assistantPrefix: 'It is' });
    const [row] = await rowsOf(model, [question({ normalize: 'sum' })]);
    const expected = TEXTS.map((text) => expectedText('<user>What is it?\nAnswer:<assistant>It is', ` ${text}`).sum);
    expect(row?.status === 'ok' && Array.from(row.logits)).toEqual(scores(expected));
  });

  it('are divided by tokens or characters, or lessened by what they are worth without the question', async () => {
    const stub = await stubServer();
    const model = modelOn(stub, 'vllm');
    const found = TEXTS.map((text) => ({ text, ...expectedText('What is it?\nAnswer:', ` ${text}`) }));
    const [mean] = await rowsOf(model, [question({ normalize: 'mean-token' })]);
    expect(mean?.status === 'ok' && Array.from(mean.logits)).toEqual(
      scores(found.map(({ sum, tokens }) => sum / tokens)),
    );
    const [characters] = await rowsOf(model, [question({ normalize: 'per-char' })]);
    expect(characters?.status === 'ok' && Array.from(characters.logits)).toEqual(
      scores(found.map(({ sum, text }) => sum / text.length)),
    );
    const [pmi] = await rowsOf(model, [question({ normalize: 'pmi', pmiPrompt: 'Answer:' })]);
    expect(pmi?.status === 'ok' && Array.from(pmi.logits)).toEqual(
      scores(found.map(({ sum, text }) => sum - expectedText('Answer:', ` ${text}`).sum)),
    );
  });

  it('fail their row where the server makes one token of prompt and text, tells none, or would read a control token', async () => {
    const stub = await stubServer();
    const merged = {
      ...question({ normalize: 'sum' }),
      text: 'Say it:\n',
      answerPrefix: '',
      continuations: ['A', 'B'],
    };
    stub.disturb = ({ path, body }, response) => {
      const text = String(body.prompt);
      if (path === '/tokenize' && text === 'Say it:\nA') response.end(JSON.stringify({ tokens: [1, 2, 3] }));
      if (path === '/v1/completions' && Array.isArray(body.prompt) && body.prompt.length === 11)
        response.end(JSON.stringify({ choices: [{ prompt_logprobs: Array.from({ length: 11 }, () => null) }] }));
    };
    const control = { ...question({ normalize: 'sum' }), id: 'q1', continuations: ['x', '<|im_end|>'] };
    const untold = { ...question({ normalize: 'sum' }), id: 'q2', text: 'Untold:', continuations: ['xy', 'z'] };
    const rows = await rowsOf(modelOn(stub, 'vllm'), [merged, control, untold]);
    expect(rows).toMatchObject([
      { status: 'failed', reason: expect.stringContaining('makes other tokens of the prompt') },
      { status: 'failed', reason: expect.stringContaining('<|im_end|>') },
      { status: 'failed', reason: expect.stringContaining('did not tell the log-probability of token 1') },
    ]);
  });
});

const FORM: ReplyForm = { leads: ['', '\n'], parts: ['{"answer": ', ', "confidence": ', '}'] };
const asked = (form: ReplyForm | null, maxTokens = 64): ExamplePrompt => ({
  id: 'q0',
  text: 'Which?',
  mode: 'reply',
  continuations: ['A', 'B'],
  answerPrefix: null,
  reply: { example: 'q0', sample: 1, seed: 42, temperature: 0.7, maxTokens, form, options: ['one', 'two'] },
});

describe('replies asked of a server', () => {
  it.each(['vllm', 'sglang', 'llama-server', 'openai', 'ollama'] as const)(
    'are written with the seed and temperature of the sample, raw and in a chat (%s)',
    async (api) => {
      const stub = await stubServer();
      const seen: Record<string, unknown>[] = [];
      stub.reply = (prompt, request) => {
        seen.push(request);
        return `to ${prompt}`;
      };
      const [raw] = await rowsOf(modelOn(stub, api), [asked(null)]);
      expect(raw).toMatchObject({ status: 'replied', text: 'to Which?', ended: true, seed: 42 });
      expect(raw?.status === 'replied' && raw.replyTokens).toBeGreaterThan(2);
      const [chat] = await rowsOf(modelOn(stub, api, { prompt: 'chat' }), [asked(null)]);
      expect(chat).toMatchObject({ text: 'to <user>Which?<assistant>' });
      for (const request of seen) {
        expect(request.seed ?? request.sampling_seed).toBe(42);
        expect(request.temperature).toBe(0.7);
      }
    },
  );

  it('are held to their form where the interface can do that', async () => {
    const stub = await stubServer();
    const seen: Record<string, unknown>[] = [];
    stub.reply = (_, request) => {
      seen.push(request);
      return '{"answer": "A", "confidence": 80}';
    };
    for (const api of ['vllm', 'sglang', 'llama-server'] as const) await rowsOf(modelOn(stub, api), [asked(FORM)]);
    const form = { ...FORM, labels: ['A', 'B'] };
    expect(seen).toMatchObject([
      { structured_outputs: { regex: replyRegex(form) } },
      { regex: replyRegex(form) },
      { grammar: replyGrammar(form) },
    ]);
    const regex = new RegExp(`^${replyRegex(form)}$`);
    expect('\n{"answer": "B", "confidence": 100}').toMatch(regex);
    expect('{"answer": "C", "confidence": 100}').not.toMatch(regex);
    expect('{"answer": "A", "confidence": 101}').not.toMatch(regex);
    expect(replyGrammar(form)).toBe(
      'root ::= ("" | "\\n") "{\\"answer\\": " ("\\"A\\"" | "\\"B\\"") ", \\"confidence\\": " ("100" | [1-9] [0-9] | [0-9]) "}"',
    );
  });

  it('that are cut say so, and those of another form fail their row', async () => {
    const stub = await stubServer();
    const [cut] = await rowsOf(modelOn(stub, 'vllm'), [asked(null, 5)]);
    expect(cut).toMatchObject({ status: 'replied', ended: false });
    stub.disturb = ({ path, body }, response) => {
      if (path === '/v1/completions' && body.max_tokens === 64) response.end('{"choices": []}');
    };
    const [failed] = await rowsOf(modelOn(stub, 'vllm'), [asked(null)]);
    expect(failed).toMatchObject({ status: 'failed', reason: expect.stringContaining('another form than expected') });
  });
});
