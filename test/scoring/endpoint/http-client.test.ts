import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { type ClientOptions, httpClient } from '../../../src/scoring/endpoint/http-client.js';
import { type StubServer, stubServer } from './stub-server.js';

function clientOf({ url }: StubServer, options: ClientOptions = {}) {
  const spec = { url, model: 'served', api: 'vllm', concurrency: 4, timeoutSeconds: 0.5 } as const;
  return httpClient(spec, { wait: async () => {}, ...options });
}

/** Disturbs the first requests, one after the other. */
function disturbFirst(stub: StubServer, ...troubles: ((response: ServerResponse) => void)[]): void {
  stub.disturb = (_, response) => troubles.shift()?.(response);
}

it('asks again after trouble that passes: busy, broken, cut, garbled, silent', async () => {
  const stub = await stubServer();
  const pauses: number[] = [];
  disturbFirst(
    stub,
    (response) => response.writeHead(429, { 'retry-after': '7' }).end('busy'),
    (response) => response.writeHead(503).end(''),
    (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"cho');
      response.destroy();
    },
    (response) => response.writeHead(200).end('<html>proxy</html>'),
    (response) => response.writeHead(200).flushHeaders(),
  );
  const client = clientOf(stub, {
    wait: async (milliseconds) => {
      pauses.push(milliseconds);
    },
  });
  expect(await client.ask('/version')).toEqual({ version: '0.33.0' });
  expect(pauses).toEqual([7000, 1000, 2000, 4000, 8000]);
  await client.close();
});

it('gives up after seven tries, with what the server said last', async () => {
  const stub = await stubServer();
  stub.disturb = (_, response) => response.writeHead(500).end('{"error":{"message":"out of memory"}}');
  await expect(clientOf(stub).ask('/version')).rejects.toMatchObject({
    concerns: 'model',
    message: expect.stringMatching(/\/version: it answers 500 \(out of memory\), 7 times in a row/),
  });
  expect(stub.requests).toHaveLength(7);
});

it('reads an answer that comes in pieces', async () => {
  const stub = await stubServer();
  stub.disturb = (_, response) => {
    response.writeHead(200);
    for (const piece of ['{"vers', 'ion":', '"1"}']) response.write(piece);
    response.end();
  };
  expect(await clientOf(stub).ask('/version')).toEqual({ version: '1' });
});

it('says of a refused prompt what the server said of it, and asks no second time', async () => {
  const stub = await stubServer();
  stub.disturb = (_, response) => response.writeHead(400).end('{"message":"the prompt has 9000 tokens"}');
  await expect(clientOf(stub).ask('/version')).rejects.toMatchObject({
    concerns: 'row',
    message: 'the server refused it with 400: the prompt has 9000 tokens',
  });
  expect(stub.requests).toHaveLength(1);
});

it('goes through the proxy that the environment names', async () => {
  const proxy = await stubServer();
  const before = process.env.http_proxy;
  process.env.http_proxy = proxy.url;
  try {
    const spec = {
      url: 'http://model.invalid',
      model: 'served',
      api: 'vllm',
      concurrency: 1,
      timeoutSeconds: 5,
    } as const;
    const client = httpClient(spec, { wait: async () => {} });
    expect(await client.ask('/version')).toEqual({ version: '0.33.0' });
    await client.close();
  } finally {
    if (before === undefined) delete process.env.http_proxy;
    else process.env.http_proxy = before;
  }
  expect(proxy.proxied).toEqual(['model.invalid:80']);
});

it.each([
  [
    'http://elsewhere.example/v1/completions?token=SECRET',
    / answers 307 and leads to http:\/\/elsewhere\.example\/v1\/completions; write/,
  ],
  ['/login?next=SECRET', / leads to http:\/\/127\.0\.0\.1:\d+\/login; write the address that answers as `url:`$/],
  ['http://[', / leads elsewhere; /],
])('is led nowhere else, and neither is the key (%s)', async (location, message) => {
  const stub = await stubServer();
  stub.disturb = (_, response) => response.writeHead(307, { location }).end();
  const spec = { url: stub.url, model: 'served', api: 'vllm', concurrency: 4, timeoutSeconds: 0.5 } as const;
  const client = httpClient({ ...spec, key: { env: 'KEY' } }, { env: { KEY: 'sk-CANARY' } });
  const error = await client.ask('/version').catch((caught: unknown) => caught);
  expect(error).toMatchObject({ concerns: 'model', message: expect.stringMatching(message) });
  expect((error as Error).message).not.toMatch(/SECRET|CANARY/);
  expect(stub.requests).toHaveLength(1);
});

it('unpacks no answer that was packed unasked', async () => {
  const stub = await stubServer();
  stub.disturb = (_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"version":"1"}'));
  await expect(clientOf(stub).ask('/version')).rejects.toMatchObject({
    concerns: 'model',
    message: expect.stringMatching(/packs its answers \(content-encoding: gzip\), which was not asked for/),
  });
  expect(stub.requests).toHaveLength(1);
});

it('says once that answers name another model than before', async () => {
  const stub = await stubServer();
  const names = ['served', 'served', 'smaller', 'served', 'smaller'];
  stub.disturb = (_, response) => response.writeHead(200).end(JSON.stringify({ model: names.shift() }));
  const said: string[] = [];
  const client = clientOf(stub, { onLog: (_, message) => said.push(message) });
  for (let n = 0; n < 5; n++) await client.ask('/version');
  expect(said).toEqual([expect.stringMatching(/answers as "smaller", before as "served"; its rows may be of several/)]);
});
