import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

type Body = Readonly<Record<string, unknown>>;

/** What a test puts in the way of a request: a request whose response it begins or cuts is not answered. */
type Disturbance = (request: { path: string; body: Body; count: number }, response: ServerResponse) => void;

export interface StubServer {
  readonly url: string;
  /** Every request in the order in which it came. */
  readonly requests: { readonly path: string; readonly body: Body; readonly authorization: string | undefined }[];
  /** Another number is another model. */
  model: number;
  disturb: Disturbance | null;
  /** Whether the server knows the field that names tokens. */
  knowsNamedTokens: boolean;
  /** Most probable tokens that come back where none is named. */
  top: number;
  /** Whether a bias is applied before log-probabilities are computed. */
  biasFirst: boolean;
  /** What it writes after a prompt. */
  reply: (prompt: string, asked: Body) => string;
  /** Addresses that it was asked to lead to as a proxy; it leads them all to itself. */
  readonly proxied: string[];
}

/** The vocabulary: letters with and without a space before them, then everything else by its characters. */
const TOKENS = ['A', 'B', 'C', 'D', ' A', ' B', ' C', ' D', ' the', ' a', '\n', 'x'];
const START = 1000;

/**
 * One of the interfaces of served models, over a vocabulary of twelve tokens and logits that follow from the prompt.
 */
export async function stubServer(): Promise<StubServer> {
  const stub: StubServer = {
    url: '',
    requests: [],
    model: 1,
    disturb: null,
    knowsNamedTokens: true,
    top: 5,
    biasFirst: true,
    reply: (prompt) => `to ${prompt}`,
    proxied: [],
  };
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const path = request.url ?? '';
      const body = (text === '' ? {} : JSON.parse(text)) as Body;
      stub.requests.push({ path, body, authorization: request.headers.authorization });
      stub.disturb?.({ path, body, count: stub.requests.length }, response);
      if (response.headersSent || response.destroyed) return;
      const answer = answerTo(stub, path, body);
      response.writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? { error: { message: `no ${path}` } }));
    });
  });
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    stub.proxied.push(request.url ?? '');
    const own = connect((server.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      own.write(head);
      own.pipe(socket).pipe(own);
    });
    socket.on('error', () => own.destroy());
    own.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign(stub, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

/** Natural log-probabilities of the twelve tokens after a prompt. */
export function expectedLogProbabilities(prompt: string, model = 1, bias: ReadonlyMap<number, number> = new Map()) {
  const logits = TOKENS.map(
    (token, id) => hash(`${model} ${prompt} ${token}`) * (id < 8 ? 4 : 6) + (bias.get(id) ?? 0),
  );
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return logits.map((logit) => logit - total);
}

/** The log-probability of one token after others: as above for the twelve, made up for characters. */
function afterTokens(before: readonly number[], id: number, model: number): number {
  const text = textOf(before);
  return expectedLogProbabilities(text, model)[id] ?? -5 * hash(`${model} ${text} ${id}`);
}

/** The sum of the log-probabilities of the tokens of a text after a prompt, and their number. */
export function expectedText(prompt: string, text: string): { readonly sum: number; readonly tokens: number } {
  const [before, whole] = [encode(prompt), encode(prompt + text)];
  const values = whole.slice(before.length).map((id, n) => afterTokens(whole.slice(0, before.length + n), id, 1));
  return { sum: values.reduce((sum, each) => sum + each, 0), tokens: values.length };
}

/** What an interface of OpenAI echoes: tokens as texts, their log-probabilities and places, and one token more. */
function echoOf(prompt: string, model: number) {
  const ids = encode(prompt);
  const tokens = ids.map((id) => textOf([id]));
  const places = tokens.map((_, n) => Array.from(tokens.slice(0, n).join('')).length);
  return {
    tokens: [...tokens, 'x'],
    token_logprobs: [...ids.map((id, n) => (n === 0 ? null : afterTokens(ids.slice(0, n), id, model))), -1],
    text_offset: [...places, Array.from(prompt).length],
  };
}

function answerTo(stub: StubServer, path: string, body: Body): unknown {
  const named = (ids: unknown) => (stub.knowsNamedTokens ? (ids as number[] | undefined) : undefined);
  switch (path) {
    case '/version':
      return { version: '0.33.0' };
    case '/server_info':
      return { version: '0.5.23' };
    case '/model_info':
      return { weight_version: 'default' };
    case '/api/version':
      return { version: '0.12.11' };
    case '/api/tags':
      return { models: [{ name: 'served:latest', digest: 'abc' }] };
    case '/v1/models':
      return { data: [{ id: 'served', root: '/data/models/org/served-8b' }] };
    case '/props':
      return { build_info: 'b1', model_alias: 'served', model_path: '/data/served.gguf' };
    case '/apply-template':
      return { prompt: `<user>${lastQuestion(body)}<assistant>` };
    case '/tokenize':
      return { tokens: tokensOf(body) };
    case '/v1/completions': {
      const usage = { prompt_tokens: 7, completion_tokens: 3 };
      if (Array.isArray(body.prompt)) {
        const ids = body.prompt as number[];
        const told = ids.map((id, n) =>
          n === 0 ? null : { [id]: { logprob: afterTokens(ids.slice(0, n), id, stub.model) } },
        );
        return { choices: [{ text: '', logprobs: null, prompt_logprobs: told }], usage };
      }
      if (body.echo === true) return { choices: [{ logprobs: echoOf(String(body.prompt), stub.model) }], usage };
      if (Number(body.max_tokens) > 1) {
        const cut = Number(body.max_tokens) < 10;
        const text = stub.reply(String(body.prompt), body);
        return { choices: [{ text, finish_reason: cut ? 'length' : 'stop' }], usage };
      }
      const found = ranked(stub, String(body.prompt), body, named(body.logprob_token_ids));
      const asIds = body.return_tokens_as_token_ids === true;
      const top = Object.fromEntries(found.map(([id, value]) => [asIds ? `token_id:${id}` : TOKENS[id], value]));
      return { choices: [{ logprobs: { top_logprobs: [top] } }], usage: { prompt_tokens: 7 } };
    }
    case '/v1/chat/completions': {
      if (Number(body.max_tokens) > 1) {
        const message = { content: stub.reply(chatText(body), body) };
        return { choices: [{ message, finish_reason: 'stop' }], usage: { prompt_tokens: 9, completion_tokens: 4 } };
      }
      const found = ranked(stub, chatText(body), body, named(body.logprob_token_ids));
      const asIds = body.return_tokens_as_token_ids === true;
      const top = found.map(([id, logprob]) => ({ token: asIds ? `token_id:${id}` : TOKENS[id], logprob }));
      return { choices: [{ logprobs: { content: [{ top_logprobs: top }] } }], usage: { prompt_tokens: 9 } };
    }
    case '/generate': {
      const prompt = typeof body.text === 'string' ? body.text : textOf(body.input_ids as number[]);
      const { max_new_tokens: length } = body.sampling_params as { max_new_tokens: number };
      if (length > 1)
        return {
          text: stub.reply(prompt, body.sampling_params as Body),
          meta_info: { prompt_tokens: 8, completion_tokens: 5, finish_reason: { type: 'stop', matched: 2 } },
        };
      if ((body.logprob_start_len as number) >= 0) {
        const [ids, from] = [body.input_ids as number[], body.logprob_start_len as number];
        const told = ids.slice(from).map((id, n) => {
          const value = n === 0 ? null : afterTokens(ids.slice(0, from + n), id, stub.model);
          return [value, id, null];
        });
        return { meta_info: { prompt_tokens: ids.length, input_token_logprobs: told } };
      }
      const found = ranked(stub, prompt, (body.sampling_params ?? {}) as Body, named(body.token_ids_logprob) ?? []);
      const scored = found.map(([id, value]) => [value, id, null]);
      return { meta_info: { prompt_tokens: 8, output_token_ids_logprobs: [scored] } };
    }
    case '/completion': {
      if ((body.n_predict as number) > 1) {
        const content = stub.reply(textOf(body.prompt as number[]), body);
        return { content, tokens_predicted: 6, stop_type: 'eos' };
      }
      const values = expectedLogProbabilities(textOf(body.prompt as number[]), stub.model);
      const taken = (body.logit_bias as [number, number][] | undefined)?.[0]?.[0];
      const order = values.map((value, id) => ({ id, logprob: value })).sort((a, b) => b.logprob - a.logprob);
      const told = taken === undefined ? 0 : afterTokens(body.prompt as number[], taken, stub.model);
      const chosen = taken === undefined ? order[0]! : { id: taken, logprob: told };
      const top = order.slice(0, Math.min(stub.top, body.n_probs as number));
      return { tokens_evaluated: 6, completion_probabilities: [{ ...chosen, top_logprobs: top }] };
    }
    case '/api/generate':
    case '/api/chat': {
      const prompt = path === '/api/chat' ? chatText(body) : String(body.prompt);
      const { num_predict: length } = body.options as { num_predict: number };
      if (length > 1) {
        const text = stub.reply(prompt, body.options as Body);
        const said = path === '/api/chat' ? { message: { role: 'assistant', content: text } } : { response: text };
        return { ...said, done_reason: 'stop', eval_count: 7, prompt_eval_count: 5 };
      }
      const top = ranked(stub, prompt, body, undefined).map(([id, logprob]) => ({ token: TOKENS[id], logprob }));
      return { prompt_eval_count: 5, logprobs: [{ ...top[0], top_logprobs: top }] };
    }
    default:
      return null;
  }
}

function ranked(stub: StubServer, prompt: string, body: Body, ids: readonly number[] | undefined): [number, number][] {
  const entries = Object.entries((body.logit_bias ?? {}) as Record<string, number>);
  const bias = new Map(stub.biasFirst ? entries.map(([id, by]) => [Number(id), by] as const) : []);
  const values = expectedLogProbabilities(prompt, stub.model, bias);
  if (ids !== undefined) return ids.map((id) => [id, values[id]!]);
  const all = values.map((value, id): [number, number] => [id, value]);
  return all.sort((a, b) => b[1] - a[1]).slice(0, stub.top);
}

/** Greedy: known tokens first, every other character by its code. */
function tokensOf(body: Body): number[] {
  if (body.messages !== undefined) return [START, ...encode(chatText(body))];
  const text = String(body.prompt ?? body.content);
  return body.add_special_tokens === true || body.add_special === true ? [START, ...encode(text)] : encode(text);
}

function encode(text: string): number[] {
  const ids: number[] = [];
  for (let at = 0; at < text.length; ) {
    const known = [' A', ' B', ' C', ' D', 'A', 'B', 'C', 'D'].find((token) => text.startsWith(token, at));
    ids.push(known === undefined ? 2000 + text.charCodeAt(at) : TOKENS.indexOf(known));
    at += known?.length ?? 1;
  }
  return ids;
}

function textOf(ids: readonly number[]): string {
  return ids.map((id) => (id === START ? '' : (TOKENS[id] ?? String.fromCharCode(id - 2000)))).join('');
}

function chatText({ messages }: Body): string {
  const [question, reply] = messages as { content: string }[];
  return `<user>${question!.content}<assistant>${reply?.content ?? ''}`;
}

function lastQuestion({ messages }: Body): string {
  return (messages as { content: string }[]).at(-1)!.content;
}

/** In [0, 1), from the text alone. */
function hash(text: string): number {
  let state = 2166136261;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16777619);
  state ^= state >>> 15;
  state = Math.imul(state, 2246822519);
  return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
