import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lockEntry } from '../../cache/lock/entry-lock.js';
import { type HubAccess, hubEnvironment } from '../../hub/hub-access.js';
import type { WayOfAsking } from '../asking/way-of-asking.js';
import type { PipelineEvents } from './pipeline-events.js';

/** Where progress of downloads goes, and what ends them. */
export interface HubContext {
  readonly events?: Pick<PipelineEvents, 'onDownload' | 'onLog'> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A data set that is not here yet: a fault (default), one without content, or that and named as not checked. */
  readonly missingData?: 'refuse' | 'leave-empty' | 'leave-out';
  /** In which ways models can be asked; default: every one that there is. */
  readonly ways?: readonly WayOfAsking[];
  /** A method of the suite that neither we nor a method file has: a fault (default), or one that does not run. */
  readonly unknownMethods?: 'refuse' | 'leave-out';
}

/** The hub as this run reaches it: by the environment and `--offline`; its files are kept under `<cache>/hub`. */
export async function openHub(
  options: { readonly cache: string; readonly offline?: boolean | undefined; readonly refresh: boolean },
  { events, signal }: HubContext = {},
): Promise<HubAccess> {
  const environment = await hubEnvironment(process.env);
  return {
    ...environment,
    offline: environment.offline || options.offline === true,
    refresh: options.refresh,
    folder: hubFolder(options.cache),
    timing: {
      stallMs: 30_000,
      tries: 5,
      backoffMs: 1000,
      wait: (ms, signal) => pause(ms, undefined, signal === undefined ? {} : { signal }),
    },
    found: { unreachable: false },
    signal,
    events,
    lock: (target) =>
      lockEntry(target, { onMessage: (message) => events?.onLog?.('warn', message), ...(signal && { signal }) }),
  };
}

/** Where a cache keeps what was fetched from the hub. */
export function hubFolder(cache: string): string {
  return path.join(cache, 'hub');
}
