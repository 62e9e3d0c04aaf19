import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { httpApp } from '../../src/serve/http-app.js';
import { serviceOf } from './service-of.js';

/** What the server behind got last, and what it answers next. */
let got: { path: string; key: string | undefined; body: Record<string, unknown> };
let reply: { status: number; text: string };
let upstream: Server;
let app: FastifyInstance;

beforeAll(async () => {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    got = { path: request.url!, key: request.headers.authorization, body: JSON.parse(text) };
    if (reply.status === 0) return;
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.text);
  };
  upstream = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => upstream.once('listening', resolve));
  const { port } = upstream.address() as AddressInfo;
  app = await httpApp(serviceOf({ upstream: { url: `http://127.0.0.1:${port}/`, key: 'CANARY' } }, 1500).parts);
});
afterAll(async () => {
  await app.close();
  upstream.closeAllConnections();
  upstream.close();
});

/** A reply in the manner of chats: the first token with others that might have stood there. */
function chat(token: string, top: Record<string, number>) {
  const entries = Object.entries(top).map(([text, logprob]) => ({ token: text, logprob }));
  return {
    choices: [
      { index: 0, message: {}, logprobs: { content: [{ token, logprob: top[token], top_logprobs: entries }] } },
    ],
  };
}

async function ask(body: object, next: object | { status: number; text: string }, path = '/v1/chat/completions') {
  reply = 'text' in next ? (next as typeof reply) : { status: 200, text: JSON.stringify(next) };
  const headers = { host: 'localhost' };
  const response = await app.inject({
    method: 'POST',
    url: path,
    headers,
    payload: { supportcal: { artefact: 'chat/quiz' }, ...body },
  });
  return { status: response.statusCode, body: response.json() };
}

describe('a proxied answer', () => {
  const top = { ' A': Math.log(0.8), ' B': Math.log(0.1), ' C': Math.log(0.05), A: Math.log(0.02) };

  it('is that of the server behind, with calibrated confidences of the options', async () => {
    const { status, body } = await ask({ model: 'm', messages: [], temperature: 0 }, { id: 'x', ...chat(' A', top) });
    expect([status, body.id, got.path, got.key]).toEqual([200, 'x', '/v1/chat/completions', 'Bearer CANARY']);
    expect(got.body).toEqual({ model: 'm', messages: [], temperature: 0, logprobs: true, top_logprobs: 20 });
    const { supportcal } = body.choices[0];
    // The square roots of 0.8, 0.1 and 0.05: the temperature is 2.
    const roots = [0.8, 0.1, 0.05].map(Math.sqrt);
    expect(supportcal).toMatchObject({ status: 'ok', artefact: 'chat/quiz', prediction: 0, predictionLabel: 'A' });
    expect(supportcal.confidence).toBeCloseTo(roots[0]! / (roots[0]! + roots[1]! + roots[2]!), 12);
    expect(supportcal.rawConfidence).toBeCloseTo(0.8 / 0.95, 12);
    expect([supportcal.optionMass, Object.keys(supportcal.probabilities)]).toEqual([
      expect.closeTo(0.95, 12),
      ['A', 'B', 'C'],
    ]);
  });

  it('of completions has its own shape, and blank tokens before the answer are passed over', async () => {
    const logprobs = { tokens: ['\n', 'B'], token_logprobs: [0, -0.5], top_logprobs: [{}, { A: -2, B: -0.5, C: -3 }] };
    const { body } = await ask({ prompt: 'q' }, { choices: [{ text: 'B', logprobs }] }, '/v1/completions');
    expect(got.body).toEqual({ prompt: 'q', logprobs: 20 });
    expect(body.choices[0].supportcal).toMatchObject({ status: 'ok', predictionLabel: 'B' });
  });

  it('names the options that the server gave no probability for, and guesses none', async () => {
    const { A: _, ' C': _c, ...some } = top;
    const { status, body } = await ask({}, chat(' A', { ...some, C: -9 }));
    expect([status, body.choices[0].supportcal]).toEqual([
      200,
      {
        status: 'unknown',
        artefact: 'chat/quiz',
        missing: ['C'],
        reason: 'the reply begins with " A"; the server gave no probability for C there',
      },
    ]);
  });

  it.each([
    ['no log-probabilities', { choices: [{ message: {} }] }],
    ['null', { choices: [{ logprobs: null }] }],
    ['another shape', { choices: [{ logprobs: { content: [{ token: 7, top_logprobs: 'x' }] } }] }],
  ])('without what is needed says so: %s', async (_, next) => {
    const { body } = await ask({}, next);
    expect(body.choices[0].supportcal).toMatchObject({
      status: 'unknown',
      reason: 'the reply has no log-probabilities of a first token',
    });
  });

  it('takes the labels, or their number, that a request names', async () => {
    const two = { supportcal: { artefact: 'chat/quiz', options: ['yes', 'no'] } };
    const { body } = await ask(two, chat('yes', { yes: -0.1, no: -2.4 }));
    expect(body.choices[0].supportcal.predictionLabel).toBe('yes');
    const many = await ask({ supportcal: { artefact: 'chat/quiz', options: 9 } }, chat(' A', top));
    expect([many.status, many.body.error.message]).toEqual([400, expect.stringMatching(/knows 3 labels, not 9/)]);
  });

  it('goes through as it is where the server refuses, and faults of the way there are 502 and 504', async () => {
    const refused = { error: { message: 'no such model', code: 404 } };
    expect(await ask({}, { status: 404, text: JSON.stringify(refused) })).toEqual({ status: 404, body: refused });
    expect((await ask({}, { status: 200, text: '<html>' })).status).toBe(502);
    expect((await ask({}, { status: 0, text: '' })).status).toBe(504);
    expect(await ask({ stream: true }, {})).toMatchObject({ status: 400, body: { error: { type: 'stream' } } });
  });
});
