import { SupportCalError } from '../errors/supportcal-error.js';
import type { HubAccess } from './hub-access.js';
import { HubTrouble, hubFault } from './hub-fault.js';

const LONGEST_BACKOFF_MS = 60_000;

/**
 * Runs `attempt` until it succeeds or fails for good. After trouble it pauses as the server asks (Retry-After), else
 * `backoffMs`, twice that, and so on. `attempt` calls `progressed` for new bytes: failures are counted from there.
 */
export async function withRetries<T>(
  what: string,
  access: HubAccess,
  attempt: (progressed: () => void) => Promise<T>,
): Promise<T> {
  const { tries, backoffMs, wait } = access.timing;
  const { found = { unreachable: false } } = access;
  let failures = 0;
  for (;;) {
    if (access.signal?.aborted) throw interrupted();
    try {
      const result = await attempt(() => {
        failures = 0;
      });
      found.unreachable = false;
      return result;
    } catch (error) {
      if (!(error instanceof HubTrouble)) throw error;
      failures++;
      const givenUp = found.unreachable && error.unreachable;
      if (failures >= tries || givenUp) {
        found.unreachable = error.unreachable;
        const count = givenUp ? 'as before' : `${tries} times in a row`;
        throw hubFault(what, `${error.message}, ${count}; what came so far is kept: try again later`);
      }
      const pause = error.retryAfterMs ?? Math.min(backoffMs * 2 ** (failures - 1), LONGEST_BACKOFF_MS);
      access.events?.onLog?.('warn', `${what}: ${error.message}; trying again in ${Math.ceil(pause / 1000)} s`);
      await wait(pause, access.signal).catch(() => {
        throw interrupted();
      });
    }
  }
}

function interrupted(): SupportCalError {
  return new SupportCalError('interrupted', 'the download was interrupted; its bytes are kept');
}
