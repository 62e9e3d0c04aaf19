import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { HubAccess } from '../../src/hub/hub-access.js';

/** What the server does with one request instead of a full answer. */
export type Mischief =
  | { readonly status: number; readonly headers?: Record<string, string> }
  /** Ends or keeps open the connection after so many bytes of the body. */
  | { readonly cutAfter: number; readonly noRanges?: boolean; readonly body?: Uint8Array }
  | { readonly stallAfter: number }
  | { readonly redirect: string; readonly status?: number }
  /** Answers 200 with this, whatever was asked for; with a page of its own listing after it where `next` says so. */
  | { readonly text: string; readonly next?: string }
  /** The connection stays open without an answer, or is closed without one. */
  | { readonly silent: 'open' | 'closed' }
  /** The content, packed although nobody asked for that; without its length. */
  | { readonly gzip: true }
  /** Says no length, and ends the connection after so many bytes. */
  | { readonly chunkedUntil: number }
  | { readonly body: Uint8Array };

export interface Repository {
  /** revision -> commit. */
  readonly revisions: Record<string, string>;
  /** commit -> path -> content. */
  readonly commits: Record<string, Record<string, Uint8Array>>;
}

export interface Seen {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/** A hub of a few repositories on this machine, which misbehaves as told. */
export class HubServer {
  readonly seen: Seen[] = [];
  /** What the links to further pages name, when not this server. */
  linkHost: string | null = null;
  /** By the end of the path: what to do with the next requests, in turn. */
  readonly mischief = new Map<string, Mischief[]>();
  readonly repositories = new Map<string, Repository>();
  private readonly server: Server = createServer((request, response) => this.answer(request, response));
  private readonly folders: string[] = [];
  private cut: { readonly at: number; readonly response: ServerResponse } | null = null;

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Where the hub begins on its server, such as `/hf`. */
  folder = '';

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${this.folder}`;
  }

  /** Access with an empty folder; pauses are noted instead of waited for. */
  access(options: Partial<HubAccess> & { pauses?: number[]; stallMs?: number; tries?: number } = {}): HubAccess {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'supportcal-hub-'));
    this.folders.push(folder);
    const { pauses = [], stallMs = 5000, tries = 4, events, ...rest } = options;
    return {
      endpoint: this.endpoint,
      token: null,
      offline: false,
      refresh: false,
      folder,
      sharedFolder: null,
      lock: async () => ({ release: async () => undefined }),
      timing: {
        stallMs,
        tries,
        backoffMs: 1000,
        wait: async (ms) => {
          pauses.push(ms);
        },
      },
      ...rest,
      events: {
        ...events,
        onDownload: (step) => {
          events?.onDownload?.(step);
          if (this.cut !== null && step.bytes >= this.cut.at) this.cutNow();
        },
      },
    };
  }

  requestsFor(ending: string): Seen[] {
    return this.seen.filter(({ url }) => url.split('?')[0]!.endsWith(ending));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }

  private cutNow(): void {
    const { cut } = this;
    this.cut = null;
    cut?.response.destroy();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.seen.push({ url: request.url!, headers: request.headers });
    const url = request.url!.replace(this.folder, '');
    const pathname = url.split('?')[0]!;
    const queue = [...this.mischief].find(([ending]) => decodeURIComponent(pathname).endsWith(ending))?.[1];
    const trick = queue?.shift();
    if (trick && 'redirect' in trick)
      return void response.writeHead(trick.status ?? 302, { location: trick.redirect }).end();
    if (trick && 'status' in trick) return void response.writeHead(trick.status, trick.headers).end();
    if (trick && 'silent' in trick) {
      if (trick.silent === 'closed') response.destroy();
      return;
    }
    if (trick && 'text' in trick) {
      response.writeHead(200, trick.next === undefined ? {} : { link: `<${trick.next}>; rel="next"` });
      return void response.end(trick.text);
    }
    if (/^\/api\//.test(pathname)) {
      this.answerApi(pathname, url, response);
      return;
    }
    const match = /^\/(datasets\/[^/]+\/[^/]+|[^/]+\/[^/]+)\/resolve\/([0-9a-f]{40})\/(.+)$/.exec(pathname);
    const content = match && this.repositories.get(match[1]!)?.commits[match[2]!]?.[decodeURIComponent(match[3]!)];
    if (!content) return void response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
    this.sendFile((trick && 'body' in trick && trick.body) || content, trick, request, response);
  }

  private answerApi(pathname: string, url: string, response: ServerResponse): void {
    const match = /^\/api\/(datasets|models)\/([^/]+\/[^/]+)\/(revision|tree)\/([^/]+)$/.exec(pathname);
    const repository = match && this.repositories.get(match[1] === 'datasets' ? `datasets/${match[2]}` : match[2]!);
    if (!repository) return void response.writeHead(401, { 'x-error-code': 'RepoNotFound' }).end();
    const revision = decodeURIComponent(match![4]!);
    const commit = repository.revisions[revision] ?? revision;
    const files = repository.commits[commit];
    if (!files) return void response.writeHead(404, { 'x-error-code': 'RevisionNotFound' }).end();
    if (match![3] === 'revision') return void response.end(JSON.stringify({ sha: commit }));
    // Two files a page.
    const all = [{ type: 'directory', path: 'data', oid: '0', size: 0 }, ...Object.entries(files).map(listed)];
    const from = Number(new URL(url, 'http://hub').searchParams.get('cursor') ?? 0);
    const next =
      from + 2 < all.length
        ? { link: `<${this.linkHost ?? this.endpoint}${pathname}?cursor=${from + 2}>; rel="next"` }
        : {};
    response.writeHead(200, next).end(JSON.stringify(all.slice(from, from + 2)));
  }

  private sendFile(
    content: Uint8Array,
    trick: Mischief | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    if (trick && 'gzip' in trick)
      return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(content));
    if (trick && 'chunkedUntil' in trick) {
      response.writeHead(200).write(content.subarray(0, trick.chunkedUntil));
      this.cut = { at: trick.chunkedUntil, response };
      return;
    }
    const etag = `"${createHash('sha256').update(content).digest('hex')}"`;
    const ifRange = request.headers['if-range'];
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const knowsRanges = !(trick && 'noRanges' in trick && trick.noRanges);
    const ranged = knowsRanges && start > 0 && (ifRange === undefined || ifRange === etag);
    if (ranged && start >= content.length) return void response.writeHead(416).end();
    const body = ranged ? content.subarray(start) : content;
    const range = ranged ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {};
    response.writeHead(ranged ? 206 : 200, { etag, 'content-length': body.length, ...range });
    if (trick && 'cutAfter' in trick && trick.cutAfter < body.length) {
      // Cut once the client has all of it: a broken connection drops what waits to be read.
      this.cut = { at: content.length - body.length + trick.cutAfter, response };
      if (trick.cutAfter === 0) this.cutNow();
      else response.write(body.subarray(0, trick.cutAfter));
    } else if (trick && 'stallAfter' in trick) response.write(body.subarray(0, trick.stallAfter));
    else response.end(body);
  }
}

/** Files of 1,000 bytes or more are in large-file storage. */
function listed([name, content]: [string, Uint8Array]) {
  const oid = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
  const entry = { type: 'file', path: name, size: content.length, oid };
  if (content.length < 1000) return entry;
  return {
    ...entry,
    lfs: { oid: createHash('sha256').update(content).digest('hex'), size: content.length, pointerSize: 134 },
  };
}
