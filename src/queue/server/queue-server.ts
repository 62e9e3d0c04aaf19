import type * as BullMq from 'bullmq';
import type { Redis } from 'ioredis';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { QueueAddress } from './queue-address.js';

/** A Valkey or Redis server that answers, with the packages that talk to it. */
export interface QueueServer {
  readonly address: QueueAddress;
  readonly bullmq: typeof BullMq;
  /** What every queue and every worker on a queue is opened with; they share the connection. */
  readonly options: { readonly connection: Redis; readonly prefix: string };
  /** The connection, for plain commands. */
  readonly client: Redis;
  /** A fault of some connection; connections are taken up again by themselves. */
  readonly onError: (error: Error) => void;
  close(): Promise<void>;
}

/** All keys begin with it. */
export const PREFIX = 'supportcal';
const CONNECT_MS = 10_000;
/** Longest pause between two tries to reach a server that was lost. */
const RETRY_MS = 2_000;
const CLOSE_MS = 2_000;

/**
 * Connects to the server of a queue. Only here are the packages for it loaded: other commands never pay for them.
 *
 * @throws SupportCalError bad-input when the server does not answer or does not let us in
 */
export async function openQueueServer(
  address: QueueAddress,
  onLog: (level: 'info' | 'warn', message: string) => void,
): Promise<QueueServer> {
  const [bullmq, { Redis: Client }] = await Promise.all([import('bullmq'), import('ioredis')]);
  await knock(new Client({ ...enter(address), lazyConnect: true, retryStrategy: () => null }), address);
  const client = new Client({
    ...enter(address),
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => Math.min(50 * 2 ** Math.min(times, 10), RETRY_MS),
  });
  const onError = saysOnce((message) => onLog('warn', `the queue at ${address.shown}: ${message}; trying again`));
  client.on('error', onError);
  const close = async () => {
    await Promise.race([client.quit().catch(() => undefined), pause(CLOSE_MS)]);
    client.disconnect();
  };
  return { address, bullmq, options: { connection: client, prefix: PREFIX }, client, onError, close };
}

function enter({ host, port, db, username, password, tls }: QueueAddress) {
  return {
    host,
    port,
    db,
    connectTimeout: CONNECT_MS,
    ...(username !== null && { username }),
    ...(password !== null && { password }),
    ...(tls && { tls: { servername: host } }),
  };
}

/** The first connection fails at once and says why, where later ones are patient. */
async function knock(client: Redis, address: QueueAddress): Promise<void> {
  let last: Error | undefined;
  client.on('error', (error: Error) => {
    last = error;
  });
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    const reason = whyNot(last ?? (error as Error));
    const message = `the queue at ${address.shown} cannot be used: ${reason}`;
    throw new SupportCalError('bad-input', message, { cause: error });
  } finally {
    client.disconnect();
  }
}

function whyNot(error: Error): string {
  if (/NOAUTH|WRONGPASS|invalid username-password|without any password/i.test(error.message)) {
    return `${error.message}. User and password belong into the address, in the variable that --queue-env names`;
  }
  if (/certificate/i.test(error.message)) {
    return `${error.message}. NODE_EXTRA_CA_CERTS names the file of an authority that Node does not know`;
  }
  if (/ECONNREFUSED|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH/.test(error.message)) {
    return `${error.message}. Is a Valkey or Redis server running there?`;
  }
  return error.message;
}

/** A server that is away makes the same error in every connection, many times a second. */
function saysOnce(say: (message: string) => void): (error: Error) => void {
  let last = '';
  let at = 0;
  return ({ message }) => {
    if (message === last && Date.now() - at < 60_000) return;
    last = message;
    at = Date.now();
    say(message);
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
