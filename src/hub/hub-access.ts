import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { knowSecrets } from '../errors/redact-secrets.js';

/** How the hub is reached, and where its files are kept. */
export interface HubAccess {
  /** `https://huggingface.co`, or what HF_ENDPOINT says; without a slash at the end. */
  readonly endpoint: string;
  /** Sent to the host of `endpoint` alone, never to one that it redirects to. */
  readonly token: string | null;
  /** Only what is in `folder` already. */
  readonly offline: boolean;
  /** Ask again which commit a branch or tag stands for; otherwise the first answer holds. */
  readonly refresh: boolean;
  /** Downloads, one folder per repository. */
  readonly folder: string;
  /** Where the hub's own tools keep their downloads; what is there is used, never changed. */
  readonly sharedFolder: string | null;
  readonly timing: HubTiming;
  /** What this run found out: after a request that reached no server to its last try, later ones are tried once. */
  readonly found?: { unreachable: boolean };
  readonly signal?: AbortSignal | undefined;
  readonly events?: HubEvents | undefined;
  /** Keeps two runs from writing one file; waits as long as another holds it. */
  lock(target: string): Promise<{ release(): Promise<void> }>;
}

interface HubEvents {
  onDownload?(progress: DownloadProgress): void;
  onLog?(level: 'warn' | 'info', message: string): void;
}

export interface DownloadProgress {
  /** Readable name of the file. */
  readonly file: string;
  readonly bytes: number;
  readonly totalBytes: number;
  /** How many of `bytes` an earlier run had left. */
  readonly resumedBytes: number;
}

interface HubTiming {
  /** A connection that brings no byte for so long is given up and taken up again. */
  readonly stallMs: number;
  /** Failures in a row, without a new byte in between, after which a download is given up. */
  readonly tries: number;
  /** First pause between two tries; doubles up to a minute. */
  readonly backoffMs: number;
  /** Pauses; rejects when the signal fires. */
  wait(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

const ENDPOINT = 'https://huggingface.co';

/**
 * Endpoint, token and offline switch as the hub's own tools take them from the environment: HF_ENDPOINT; HF_TOKEN, else
 * the file HF_TOKEN_PATH, else the file `token` in HF_HOME (default ~/.cache/huggingface); HF_HUB_OFFLINE; and their
 * downloads in HF_HUB_CACHE, else in `hub` in HF_HOME. Their older names HUGGING_FACE_HUB_TOKEN and
 * HUGGINGFACE_HUB_CACHE count too.
 */
export async function hubEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Pick<HubAccess, 'endpoint' | 'token' | 'offline' | 'sharedFolder'>> {
  const token = clean(env.HF_TOKEN) ?? clean(env.HUGGING_FACE_HUB_TOKEN) ?? (await savedToken(env));
  if (token !== null) knowSecrets([token]);
  return {
    sharedFolder: env.HF_HUB_CACHE || env.HUGGINGFACE_HUB_CACHE || path.join(hubHome(env), 'hub'),
    endpoint: (env.HF_ENDPOINT || ENDPOINT).replace(/\/+$/, ''),
    token,
    offline: /^(1|on|yes|true)$/i.test(env.HF_HUB_OFFLINE ?? ''),
  };
}

async function savedToken(env: Readonly<Record<string, string | undefined>>): Promise<string | null> {
  return clean(await readFile(env.HF_TOKEN_PATH || path.join(hubHome(env), 'token'), 'utf8').catch(() => undefined));
}

function hubHome(env: Readonly<Record<string, string | undefined>>): string {
  return env.HF_HOME || path.join(env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'huggingface');
}

/** null for none, and for what cannot be sent in a header. */
function clean(token: string | undefined): string | null {
  const text = token?.trim() ?? '';
  return /^[\x21-\x7e]+$/.test(text) ? text : null;
}
