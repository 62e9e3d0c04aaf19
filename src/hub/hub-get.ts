import { SupportCalError } from '../errors/supportcal-error.js';
import type { HubAccess } from './hub-access.js';
import { HubTrouble, hubFault, statusFault } from './hub-fault.js';

const MAX_REDIRECTS = 10;
const UNREACHABLE = new Set(['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH']);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface HubResponse {
  readonly response: Response;
  /** The body, piece by piece; throws HubTrouble on a stall or a break. */
  chunks(): AsyncGenerator<Uint8Array>;
  /** Ends the connection without reading the body. */
  cancel(): Promise<void>;
}

/**
 * One GET that follows redirects by itself: the token goes to the host of the endpoint alone, and a redirect from https
 * to http is refused. No byte for `stallMs` ends the connection.
 *
 * @param what the repository (and file) for messages
 * @throws HubTrouble for what may pass; SupportCalError for what will not, or interrupted
 */
export async function hubGet(
  url: string,
  what: string,
  access: HubAccess,
  headers: Readonly<Record<string, string>> = {},
): Promise<HubResponse> {
  refuseOddEndpoint(access, what);
  const watch = stallWatch(access);
  let at = new URL(url);
  try {
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const response = await connect(at, access, headers, watch);
      if (!REDIRECTS.has(response.status)) {
        // A range can be refused; whoever asked for one begins again.
        if (response.ok || (response.status === 416 && 'range' in headers)) return opened(response, access, watch);
        await discard(response);
        throw statusFault(what, response, access);
      }
      await discard(response);
      at = redirected(at, response.headers.get('location'), what);
    }
    throw hubFault(what, `more than ${MAX_REDIRECTS} redirects`);
  } catch (error) {
    watch.stop();
    throw error;
  }
}

/** HF_ENDPOINT may be anything; what stands in it is not repeated, since it may hold a password. */
function refuseOddEndpoint({ endpoint }: HubAccess, what: string): void {
  const at = /^https?:\/\/[^/]/i.test(endpoint) && URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (at !== null && [at.username, at.password, at.search, at.hash].every((part) => part === '')) return;
  const expected = 'expected one such as https://huggingface.co, without user name, password and query';
  throw hubFault(what, `HF_ENDPOINT is no address of a hub; ${expected}`);
}

function opened(response: Response, access: HubAccess, watch: StallWatch): HubResponse {
  return {
    response,
    chunks: () => chunks(response, access, watch),
    cancel: () => {
      watch.stop();
      return discard(response);
    },
  };
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

async function connect(
  url: URL,
  access: HubAccess,
  headers: Readonly<Record<string, string>>,
  watch: StallWatch,
): Promise<Response> {
  const own = access.token !== null && url.origin === new URL(access.endpoint).origin;
  watch.restart();
  try {
    return await fetch(url.href, {
      redirect: 'manual',
      signal: watch.signal,
      headers: {
        // Ranges and sizes are those of the file, not of a packed transfer.
        'accept-encoding': 'identity',
        'user-agent': 'supportcal',
        ...headers,
        ...(own && { authorization: `Bearer ${access.token}` }),
      },
    });
  } catch (cause) {
    throw troubleOf(cause, access, watch);
  }
}

async function* chunks(response: Response, access: HubAccess, watch: StallWatch): AsyncGenerator<Uint8Array> {
  watch.restart();
  try {
    for await (const chunk of response.body ?? []) {
      watch.restart();
      yield chunk;
      // Time that the reader takes is no stall of the server.
      watch.restart();
    }
  } catch (cause) {
    throw troubleOf(cause, access, watch);
  } finally {
    watch.stop();
  }
}

function redirected(from: URL, location: string | null, what: string): URL {
  const to = location !== null && URL.canParse(location, from.href) ? new URL(location, from.href) : null;
  if (to === null) throw hubFault(what, 'the hub redirects without saying where to');
  const worse = from.protocol === 'https:' && to.protocol !== 'https:';
  if (worse || !/^https?:$/.test(to.protocol))
    throw hubFault(what, `the hub redirects to ${to.protocol}, which is refused`);
  if (to.username !== '' || to.password !== '')
    throw hubFault(what, 'the hub redirects to an address with a password, which is refused');
  return to;
}

interface StallWatch {
  readonly signal: AbortSignal;
  readonly stalled: () => boolean;
  restart(): void;
  stop(): void;
}

function stallWatch({ timing: { stallMs }, signal }: HubAccess): StallWatch {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let stalled = false;
  return {
    signal: signal === undefined ? abort.signal : AbortSignal.any([abort.signal, signal]),
    stalled: () => stalled,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        stalled = true;
        abort.abort();
      }, stallMs);
    },
    stop: () => clearTimeout(timer),
  };
}

function troubleOf(cause: unknown, { signal, timing }: HubAccess, watch: StallWatch): Error {
  if (signal?.aborted) return new SupportCalError('interrupted', 'the download was interrupted; its bytes are kept');
  if (watch.stalled()) return new HubTrouble(`no byte came for ${timing.stallMs / 1000} s`, null, { cause });
  // fetch says "fetch failed" and keeps the reason, such as ECONNREFUSED or ENOTFOUND, one level down.
  const inner = cause instanceof Error ? (cause.cause as NodeJS.ErrnoException | undefined) : undefined;
  const reason = inner?.code ?? inner?.message ?? (cause instanceof Error ? cause.message : String(cause));
  const unreachable = UNREACHABLE.has(reason);
  return new HubTrouble(`the connection failed (${reason})`, null, { cause, unreachable });
}
