import { SupportCalError } from '../errors/supportcal-error.js';
import type { HubAccess } from './hub-access.js';

/** A failure that may be gone at the next try: no connection, a stall, a cut, a server that is busy or broken. */
export class HubTrouble extends Error {
  /** What the server asked for, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** No server was found, or none that listens. */
  readonly unreachable: boolean;

  constructor(
    message: string,
    retryAfterMs: number | null = null,
    options: { readonly cause?: unknown; readonly unreachable?: boolean } = {},
  ) {
    super(message, options);
    this.retryAfterMs = retryAfterMs;
    this.unreachable = options.unreachable ?? false;
  }
}

/**
 * A failure that stays: the message says what was asked for, what came, and what to do. `status`: what the hub
 * answered.
 */
export function hubFault(what: string, message: string, status?: number): SupportCalError {
  return new SupportCalError('missing-file', `${what}: ${message}`, { cause: status });
}

/** How a fault says that something was never fetched and may not be now. */
export const NOT_FETCHED = 'is not in the cache, and --offline (or HF_HUB_OFFLINE) forbids to fetch it';

/** Whether the hub said that there is no such thing. */
export function isNotFound(error: unknown): boolean {
  return error instanceof SupportCalError && error.cause === 404;
}

/** Turns a response that is no success into a fault to report or a trouble to try again. */
export function statusFault(what: string, response: Response, access: Pick<HubAccess, 'token' | 'endpoint'>): Error {
  const { status, headers } = response;
  if (status === 408 || status === 429 || status >= 500) {
    return new HubTrouble(`the hub answers ${status}${busy(status)}`, retryAfterMs(headers));
  }
  const code = headers.get('x-error-code') ?? '';
  const page = `${access.endpoint}/${what.split(' ')[0]}`;
  const fault = (message: string) => hubFault(what, `${message} (${status})`, status);
  if (status === 401 && access.token !== null && code !== 'RepoNotFound') return fault(unknownToken(access));
  if (code === 'GatedRepo') return fault(gated(page, access));
  if (status === 401 || status === 403) {
    const token = access.token === null ? 'set HF_TOKEN if it is private' : 'the token in use may not read it';
    return fault(
      `${status === 401 ? 'no such repository, or a private one' : 'access is refused'}; check the name; ${token}`,
    );
  }
  if (code === 'RevisionNotFound') return fault('no such revision; name a branch, tag or commit of it');
  if (status === 404) return fault('not found; check owner, name, revision and file');
  return fault('the hub refuses the request');
}

/** The hub answers 401 to a token that it does not know; what a known one may not read is 403 or 404. */
function unknownToken({ endpoint }: Pick<HubAccess, 'endpoint'>): string {
  const way = `copy it anew or make one on ${endpoint}/settings/tokens, or unset it to read what is public`;
  return `the hub does not know the token in use (HF_TOKEN or the saved one): it is mistyped, expired or revoked; ${way}`;
}

function gated(page: string, { token }: Pick<HubAccess, 'token'>): string {
  if (token === null) {
    return `is gated, and no token is set: accept its terms on ${page}, then set HF_TOKEN to a token of that account`;
  }
  const way = `accept them on ${page}; a fine-grained token also needs the right to read gated repositories`;
  return `is gated, and the account of the token in use has not accepted its terms: ${way}`;
}

function busy(status: number): string {
  return status === 429 ? ' (too many requests)' : '';
}

const LONGEST_PAUSE_MS = 300_000;

/** `Retry-After` in seconds or as a date; null when there is none that can be read. */
function retryAfterMs(headers: Headers): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), LONGEST_PAUSE_MS);
}
