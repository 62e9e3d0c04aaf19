import type { EndpointSpec } from '../../config/models-schema.js';
import { knowSecrets } from '../../errors/redact-secrets.js';
import { EndpointFault } from './endpoint-fault.js';

/** Requests to one server, over connections that stay open, through the proxy that the environment names. */
export interface HttpClient {
  /** The answer's JSON. Trouble that may pass is waited for and tried again; then rejects with an `EndpointFault`. */
  ask(path: string, body?: Readonly<Record<string, unknown>>): Promise<unknown>;
  close(): Promise<void>;
}

export interface ClientEvents {
  /** The server answered; how long that took. */
  onAnswer?(milliseconds: number): void;
  /** The server asks for less. */
  onBusy?(): void;
  onLog?(level: 'warn', message: string): void;
}

export interface ClientOptions extends ClientEvents {
  readonly signal?: AbortSignal | undefined;
  /** Pauses between two tries, for tests; the default waits. */
  readonly wait?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

const TRIES = 7;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** The answer to one prompt is a few thousand bytes; a server that sends more is not read to its end. */
const MOST_BYTES = 64 * 2 ** 20;
const SHOWN_CHARACTERS = 300;

/** Trouble that may pass, and after how many milliseconds the server wants to be asked again. */
class Passing extends Error {
  constructor(
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** @throws EndpointFault when the variable that holds the key is not set */
export function httpClient(spec: EndpointSpec, options: ClientOptions): HttpClient {
  // Named here, since the agent would look into the environment at every request.
  const noProxy = process.env.no_proxy ?? process.env.NO_PROXY ?? '';
  // Only who asks a server waits for its client to load, and not every command.
  const loaded = import('undici');
  const agent = loaded.then(
    ({ EnvHttpProxyAgent }) =>
      new EnvHttpProxyAgent({ connections: spec.concurrency, keepAliveTimeout: 30_000, noProxy }),
  );
  const headers = { 'content-type': 'application/json', ...authorization(spec, options.env ?? process.env) };
  const base = spec.url.replace(/\/+$/, '');
  const timeout = spec.timeoutSeconds * 1000;
  const heardName = answeringNames(base, options);
  const once = async (path: string, body: unknown): Promise<unknown> => {
    const [{ request }, dispatcher] = await Promise.all([loaded, agent]);
    const began = performance.now();
    const answer = await request(base + path, {
      dispatcher,
      method: body === undefined ? 'GET' : 'POST',
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: timeout,
      bodyTimeout: timeout,
      signal: options.signal ?? null,
    });
    const { statusCode: status, headers: told } = answer;
    const text = await limitedText(answer.body);
    refusePacked(told['content-encoding'], spec);
    if (status < 300) {
      options.onAnswer?.(performance.now() - began);
      return heardName(parsed(text));
    }
    if (status < 400) throw redirected(told.location, status, spec);
    throw faultOf({ status, text, path, retryAfter: told['retry-after'] }, spec);
  };
  return {
    ask: (path, body) => withTries(() => once(path, body), `${base}${path}`, options),
    close: async () => (await agent).destroy(),
  };
}

function authorization({ key }: EndpointSpec, env: Readonly<Record<string, string | undefined>>) {
  if (key === undefined) return {};
  const value = env[key.env]?.trim();
  if (!value) throw new EndpointFault('model', `the environment variable ${key.env}, which holds its key, is not set`);
  knowSecrets([value]);
  return { authorization: `Bearer ${value}` };
}

async function withTries(once: () => Promise<unknown>, where: string, options: ClientOptions): Promise<unknown> {
  const { signal, wait = pause } = options;
  for (let failures = 1; ; failures++) {
    try {
      return await once();
    } catch (error) {
      if (error instanceof EndpointFault || signal?.aborted) throw error;
      const passing = error instanceof Passing ? error : new Passing(reasonOf(error));
      if (error instanceof Passing) options.onBusy?.();
      if (failures === TRIES) {
        throw new EndpointFault('model', `${where}: ${passing.message}, ${TRIES} times in a row; try again later`);
      }
      const own = FIRST_PAUSE_MS * 2 ** (failures - 1);
      const milliseconds = Math.min(passing.retryAfterMs ?? own, LONGEST_PAUSE_MS);
      if (failures > 1)
        options.onLog?.('warn', `${where}: ${passing.message}; asking again in ${milliseconds / 1000} s`);
      await wait(milliseconds, signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, milliseconds);
    function done() {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Answers name the model that gave them: a name that changes is said, once. */
function answeringNames(where: string, { onLog }: ClientEvents): (answer: unknown) => unknown {
  const names = new Set<string>();
  return (answer) => {
    const { model: name } = (answer ?? {}) as { readonly model?: unknown };
    if (typeof name !== 'string' || names.has(name) || names.size > MOST_NAMES) return answer;
    const [first] = names;
    names.add(name);
    const both = `${JSON.stringify(shown(name))}, before as ${JSON.stringify(shown(first ?? ''))}`;
    if (first !== undefined) onLog?.('warn', `${where}: it answers as ${both}; its rows may be of several models`);
    return answer;
  };
}

/** A server that makes up names is not listened to for ever. */
const MOST_NAMES = 5;

/** Nothing packed was asked for, and a few bytes may unpack to any number. */
function refusePacked(encoding: string | string[] | undefined, { url }: EndpointSpec): void {
  const name = String(encoding ?? 'identity')
    .trim()
    .toLowerCase();
  if (name === '' || name === 'identity') return;
  const what = `packs its answers (content-encoding: ${shown(name)}), which was not asked for`;
  throw new EndpointFault('model', `${url} ${what}; turn that off, or name the server without the proxy before it`);
}

/** No request is led elsewhere, nor is the key. Of the goal only the address is shown, as its query may be secret. */
function redirected(location: string | string[] | undefined, status: number, { url }: EndpointSpec): EndpointFault {
  const goal = typeof location === 'string' && URL.canParse(location, url) ? new URL(location, url) : null;
  const where = goal === null ? 'elsewhere' : `to ${shown(`${goal.origin}${goal.pathname}`)}`;
  return new EndpointFault(
    'model',
    `${url} answers ${status} and leads ${where}; write the address that answers as \`url:\``,
  );
}

/** What broke on the way. Undici hangs the reason under an error without one. */
function reasonOf(error: unknown): string {
  const { message, cause, code } = error as { message?: string; cause?: { message?: string }; code?: string };
  return message || cause?.message || code || 'no answer';
}

async function limitedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new EndpointFault('row', `its answer is longer than ${MOST_BYTES / 2 ** 20} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A cut or garbled body is trouble that may pass: a proxy broke off. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Passing(`its answer is no JSON (${shown(text)})`);
  }
}

interface Refusal {
  readonly status: number;
  readonly text: string;
  readonly path: string;
  readonly retryAfter: string | string[] | undefined;
}

function faultOf({ status, text, path, retryAfter }: Refusal, spec: EndpointSpec): Error {
  if (status === 429 || status === 408 || status >= 500) {
    return new Passing(`it answers ${status} (${shown(text)})`, retryAfterMs(retryAfter));
  }
  if (status === 401 || status === 403) {
    const key =
      spec.key === undefined ? 'it wants a key; name its variable with `key: { env: NAME }`' : refusedKey(spec.key.env);
    return new EndpointFault('model', `${spec.url} answers ${status}: ${key}`);
  }
  if (status === 404) {
    return new EndpointFault(
      'model',
      `${spec.url} knows no ${path} or no model "${spec.model}" (${shown(text)}); is it served by ${spec.api}?`,
    );
  }
  return new EndpointFault('row', `the server refused it with ${status}: ${shown(text)}`);
}

function refusedKey(name: string): string {
  return `it does not take the key in the environment variable ${name}`;
}

/** The message inside an error's JSON, or the text. */
function shown(text: string): string {
  let message = text;
  try {
    const { error, message: own, detail } = JSON.parse(text);
    message = [error?.message, own, detail, error].find((each) => typeof each === 'string') ?? text;
  } catch {
    // It is no JSON, so it is shown as it is.
  }
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}...` : line || 'no text';
}

/** Seconds or a date. */
function retryAfterMs(value: string | string[] | undefined): number | undefined {
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined) return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}
