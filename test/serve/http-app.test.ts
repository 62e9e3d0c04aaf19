import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkAdmission } from '../../src/serve/admission.js';
import { httpApp } from '../../src/serve/http-app.js';
import { serviceOf } from './service-of.js';

const { parts, logged } = serviceOf();
let app: FastifyInstance;
let address: string;
beforeAll(async () => {
  app = await httpApp(parts);
  address = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

const QUESTION = { question: 'What do bees make?', options: ['honey', 'silk', 'milk'] };

async function ask(path: string, body?: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = body === undefined ? { headers } : { method: 'POST', body: text, headers: json(headers) };
  const response = await fetch(`${address}${path}`, sent);
  const answer = await response.text();
  return {
    status: response.status,
    body: answer.startsWith('{') ? JSON.parse(answer) : answer,
    headers: response.headers,
  };
}

const json = (headers: Record<string, string>) => ({ 'content-type': 'application/json', ...headers });
const score = (body: unknown) => ask('/v1/score', body);

describe('POST /v1/score', () => {
  it('answers a question with the fields of the data set by the model, and logits without one', async () => {
    // softmax([2, 0, 0] / 2): e / (e + 2)
    const confidence = Math.E / (Math.E + 2);
    const asked = await score({ artefact: 'chat/quiz', id: 'q7', ...QUESTION });
    expect(asked).toMatchObject({ status: 200, body: { artefact: 'chat/quiz', id: 'q7', predictionText: 'honey' } });
    expect(asked.body.confidence).toBeCloseTo(confidence, 12);
    const brought = await score({ artefact: 'chat/bare', logits: [0, 2, 0] });
    expect(brought.body).toMatchObject({ status: 'ok', prediction: 1, predictionLabel: 'B', predictionText: null });
    expect(brought.body.confidence).toBeCloseTo(confidence, 12);
    const unsure = await score({ artefact: 'chat/bare', logits: [0, 1, 0] });
    expect(unsure).toMatchObject({ status: 200, body: { status: 'abstain', prediction: 1 } });
  });

  it('gives an id beyond 2^53 back with the digits that it came with', async () => {
    const ids = ['9007199254740993', '9007199254740992'];
    const questions = ids.map((id) => `{"id": ${id}, "logits": [1, 0]}`);
    const { body } = await score(`{"artefact": "chat/quiz", "questions": [${questions.join(', ')}]}`);
    expect(body.answers.map(({ id }: { id: string }) => id)).toEqual(ids);
  });

  it('answers several questions in their order, each with a status of its own', async () => {
    const questions = [QUESTION, { logits: [1, 0] }, { id: 'none', question: 'x' }, { options: Array(300).fill('x') }];
    const { status, body } = await score({ artefact: 'chat/quiz', questions });
    expect(status).toBe(200);
    expect(body.answers.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      ['1', 'ok'],
      ['2', 'ok'],
      ['none', 'failed'],
      ['4', 'failed'],
    ]);
    expect(body.answers[3].reason).toBe('options: 300 values, more than the 256 allowed');
  });

  it.each([
    ['no artefact named', { ...QUESTION }, 400, /^expected `artefact`, one of chat\/quiz, chat\/bare$/],
    ['an unknown artefact', { artefact: 'chat/quizz', ...QUESTION }, 404, /^no artefact "chat\/quizz".*chat\/quiz/],
    [
      'a question without a model',
      { artefact: 'chat/bare', ...QUESTION },
      409,
      /^no model is loaded for chat\/bare: bring `logits`/,
    ],
    ['a question that cannot be asked', { artefact: 'chat/quiz', question: 'x' }, 422, /^no options$/],
    ['one logit', { artefact: 'chat/quiz', logits: [1] }, 400, /logits must NOT have fewer than 2 items/],
    ['27 logits', { artefact: 'chat/quiz', logits: Array(27).fill(0) }, 400, /logits must NOT have more than 26 items/],
    ['text as logits', { artefact: 'chat/quiz', logits: ['1', 2] }, 400, /logits\/0 must be number/],
    [
      'a logit beyond all limits',
      { artefact: 'chat/quiz', logits: [1e300, 2] },
      422,
      /^logits: expected finite numbers/,
    ],
    [
      'more questions than allowed',
      { artefact: 'chat/quiz', questions: Array(257).fill(QUESTION) },
      413,
      /^257 questions; one request may have 256$/,
    ],
    ['a number as artefact', { artefact: 7 }, 400, /artefact must be string/],
    ['a list', [1], 400, /must be object/],
  ])('refuses %s', async (_, body, status, message) => {
    const answer = await score(body);
    expect([answer.status, answer.body.error.message]).toEqual([status, expect.stringMatching(message)]);
  });
});

describe('hostile requests leave the service answering', () => {
  it.each([
    ['no JSON', '{"artefact":', 400],
    ['nothing', '', 400],
    ['a body larger than allowed', JSON.stringify({ question: 'x'.repeat(1_100_000) }), 413],
    ['JSON of 100,000 levels', '['.repeat(100_000), 400],
    ['a prototype', '{"__proto__": {"artefact": "chat/quiz"}}', 400],
    ['a constructor', '{"constructor": {"prototype": {"x": 1}}, "options": []}', 400],
    ['thousands of options', JSON.stringify({ artefact: 'chat/quiz', options: Array(5000).fill('x') }), 422],
    ['a key twice', '{"artefact": "chat/quiz", "logits": [1, 0], "logits": [0, 1]}', 400],
    ['half of a surrogate pair', '{"artefact": "chat/quiz", "question": "\\ud800", "options": ["a", "b"]}', 400],
    ['numbers beyond all floats', '{"artefact": "chat/quiz", "logits": [1e999, 0]}', 400],
  ])('%s', async (_, body, status) => {
    expect((await score(body)).status).toBe(status);
    expect((await score({ artefact: 'chat/quiz', ...QUESTION })).status).toBe(200);
  });

  it('what is not JSON by its type is not read, and an unknown address is said to be none', async () => {
    const form = { 'content-type': 'text/plain' };
    expect(await ask('/v1/score', QUESTION, form)).toMatchObject({
      status: 415,
      body: { error: { type: 'request', message: expect.stringMatching(/expected JSON.*application\/json/) } },
    });
    expect(await ask('/v2/score')).toMatchObject({ status: 404, body: { error: { type: 'route' } } });
    expect(await ask('/%ff')).toMatchObject({ status: 400, body: { error: { type: 'request' } } });
  });

  it('a packed body and one that is not UTF-8 are refused with the reason', async () => {
    const packed = await ask('/v1/score', QUESTION, { 'content-encoding': 'gzip' });
    expect(packed).toMatchObject({
      status: 415,
      body: { error: { message: expect.stringContaining('content-encoding') } },
    });
    const headers = { host: 'localhost', 'content-type': 'application/json' };
    const payload = Buffer.from('{"question": "caf\xe9"}', 'latin1');
    const wrong = await app.inject({ method: 'POST', url: '/v1/score', headers, payload });
    expect(wrong.json()).toEqual({ error: { type: 'request', message: 'the body is not UTF-8' } });
  });

  it('who connects and says nothing is let go after the time in which a request must have come', async () => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    await new Promise((resolve) => socket.on('close', resolve).resume());
    expect((await score({ artefact: 'chat/quiz', ...QUESTION })).status).toBe(200);
  });

  it('a request that does not come in full is ended in time', async () => {
    const { port } = new URL(address);
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
      socket.write(
        'POST /v1/score HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
      );
    });
    expect(said).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('a question that takes too long costs its caller 504, and questions beyond the limit are turned away', async () => {
    const questions = Array.from({ length: 250 }, () => ({ ...QUESTION, question: 'slow' }));
    const slow = score({ artefact: 'chat/quiz', questions });
    await vi.waitFor(() => expect(parts.served[0]!.answerer!.model.waiting()).toBe(250));
    const busy = await score({ artefact: 'chat/quiz', questions: Array(60).fill(QUESTION) });
    expect([busy.status, busy.headers.get('retry-after'), busy.body.error.type]).toEqual([503, '1', 'busy']);
    expect((await slow).status).toBe(504);
  });

  it('a fault of the service is logged, and its caller hears nothing of it', async () => {
    const { status, body } = await score({ artefact: 'chat/quiz', ...QUESTION, question: 'broken' });
    expect([status, body.error.message]).toEqual([500, 'the service failed; its log says why']);
    expect(logged.filter((line) => line.includes('a secret of the service'))).toHaveLength(1);
  });
});

describe('who may ask', () => {
  it('a page of the web whose name leads here is refused; programs of this machine are not', async () => {
    const host = (name: string) => app.inject({ url: '/v1/artefacts', headers: { host: name } });
    expect((await host('evil.example:8421')).statusCode).toBe(421);
    for (const name of ['localhost:8421', '127.0.0.1', '[::1]:8421']) expect((await host(name)).statusCode).toBe(200);
  });

  it('the token is asked for where there is one, by all but /healthz', async () => {
    const guarded = await httpApp(serviceOf({ token: 'CANARY' }).parts);
    const status = async (url: string, authorization?: string) =>
      (await guarded.inject({ url, headers: { host: 'localhost', ...(authorization && { authorization }) } }))
        .statusCode;
    expect(await status('/metrics')).toBe(401);
    expect(await status('/metrics', 'Bearer CANARY2')).toBe(401);
    expect(await status('/metrics', 'Bearer CANARY')).toBe(200);
    expect(await status('/healthz')).toBe(200);
    await guarded.close();
    const settings = serviceOf({ token: 'pässwörd🔑' }).parts.settings;
    const inBytes = (token: string) => ({ authorization: `Bearer ${Buffer.from(token).toString('latin1')}` });
    expect(() => checkAdmission({ host: 'localhost', ...inBytes('pässwörd🔑') }, settings)).not.toThrow();
    expect(() => checkAdmission({ host: 'localhost', ...inBytes('passwörd🔑') }, settings)).toThrow(/Bearer TOKEN/);
  });
});

describe('what a service says of itself', () => {
  it('/healthz names the models, /metrics counts what was asked', async () => {
    expect((await ask('/healthz')).body.artefacts).toEqual([
      { artefact: 'chat/quiz', model: 'loaded' },
      { artefact: 'chat/bare', model: 'none' },
    ]);
    const { body } = await ask('/metrics');
    expect(body).toMatch(/^supportcal_questions_total\{artefact="chat\/bare",status="ok"\} 1$/m);
    expect(body).toMatch(/^supportcal_request_seconds_count\{route="\/v1\/score",status="413"\} [1-9]/m);
    expect(body).toMatch(/^supportcal_waiting_questions\{artefact="chat\/quiz"\} \d+$/m);
  });

  it('warns when 200 questions are unlike those of the fit', async () => {
    // The fit saw raw confidences from 0.3 to 0.9.
    await score({ artefact: 'chat/bare', questions: Array(200).fill({ logits: [20, 0, 0] }) });
    expect(logged).toContainEqual(expect.stringMatching(/^warn: chat\/bare: the last 20\d questions: the median raw/));
    expect((await ask('/metrics')).body).toMatch(/^supportcal_windows_total\{artefact="chat\/bare",drift="true"\} 1$/m);
  });

  it('/openapi.json describes every address that can be asked', async () => {
    const { body } = await ask('/openapi.json');
    expect(Object.keys(body.paths).sort()).toEqual(
      ['/healthz', '/metrics', '/v1/artefacts', '/v1/chat/completions', '/v1/completions', '/v1/score'].sort(),
    );
    expect(body.info).toMatchObject({ title: 'SupportCal', version: '1.2.3' });
    const { schema } = body.paths['/v1/score'].post.requestBody.content['application/json'];
    expect(schema.properties.questions.items.properties).toHaveProperty('logits');
  });
});
