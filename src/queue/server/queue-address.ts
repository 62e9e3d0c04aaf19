import { knowSecrets } from '../../errors/redact-secrets.js';
import { SupportCalError } from '../../errors/supportcal-error.js';

/** Where a queue is, and how it is entered. */
export interface QueueAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username: string | null;
  readonly password: string | null;
  readonly tls: boolean;
  /** The address as a log may have it: without user and password. */
  readonly shown: string;
}

const EXPECTED =
  'expected redis://HOST[:PORT][/DB], or rediss:// for TLS; user and password as redis://USER:PASSWORD@HOST';

/**
 * Reads the address of a queue. From then on no message of this process shows its password.
 *
 * @throws SupportCalError usage; the message repeats nothing of a text that may hold a password
 */
export function queueAddress(text: string): QueueAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  const secure = /^(rediss|valkeys):$/.test(url?.protocol ?? '');
  if (url === null || !(secure || /^(redis|valkey):$/.test(url.protocol)) || url.hostname === '') {
    throw new SupportCalError('usage', `the address of the queue cannot be read: ${EXPECTED}`);
  }
  if (!/^\/?\d{0,4}$/.test(url.pathname) || url.search !== '' || url.hash !== '') {
    throw new SupportCalError('usage', `the address of the queue has a database that is no number: ${EXPECTED}`);
  }
  const password = decoded(url.password);
  if (password !== null) knowSecrets([password]);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? 6379 : Number(url.port);
  const db = Number(url.pathname.slice(1));
  const shown = `${secure ? 'rediss' : 'redis'}://${url.hostname}:${port}/${db}`;
  return { host, port, db, username: decoded(url.username), password, tls: secure, shown };
}

function decoded(text: string): string | null {
  if (text === '') return null;
  try {
    return decodeURIComponent(text);
  } catch {
    const message = 'user or password of the queue cannot be read: write % as %25, and other signs of an address alike';
    throw new SupportCalError('usage', message);
  }
}
