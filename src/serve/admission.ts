import { createHash, timingSafeEqual } from 'node:crypto';
import { HttpFault } from './http-fault.js';
import { isLoopback, type ServiceSettings } from './service-settings.js';

export interface AskedHeaders {
  readonly authorization?: string | undefined;
  readonly host?: string | undefined;
}

/**
 * Refuses who may not ask: nobody but programs of this machine where the service listens to it alone (a page of the
 * web that has its name lead here brings that name along), and nobody without the token where there is one.
 */
export function checkAdmission({ authorization = '', host = '' }: AskedHeaders, settings: ServiceSettings): void {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  if (isLoopback(settings.host) && !isLoopback(name))
    throw new HttpFault(421, 'host', 'this service is for its own machine; ask it as localhost or 127.0.0.1');
  if (settings.token === null) return;
  const [, token = ''] = /^Bearer (.+)$/i.exec(authorization) ?? [];
  if (!isSame(token, settings.token))
    throw new HttpFault(
      401,
      'token',
      'expected the header Authorization: Bearer TOKEN, with the token of this service',
    );
}

/** Takes the same time for every wrong token. A header is read byte by byte, whatever letters the bytes stand for. */
function isSame(given: string, wanted: string): boolean {
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  return timingSafeEqual(hashOf(Buffer.from(given, 'latin1')), hashOf(Buffer.from(wanted, 'utf8')));
}
