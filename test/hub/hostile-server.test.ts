import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { lockEntry } from '../../src/cache/lock/entry-lock.js';
import { fetchHubDataset } from '../../src/hub/fetch-hub-dataset.js';
import type { HubFile } from '../../src/hub/fetch-hub-file.js';
import { type HubAccess, hubEnvironment } from '../../src/hub/hub-access.js';
import { bytesHere, fetchModel, findModel, listModel, modelReference } from '../../src/hub/hub-model.js';
import { mountSmallDisk } from '../small-disk.js';
import { HubServer, type Mischief } from './hub-server.js';
import { layDownload } from './lay-download.js';

const COMMIT = 'a'.repeat(40);
const big = Uint8Array.from({ length: 120_000 }, (_, n) => (n * 7919) % 251);

let server: HubServer;
beforeAll(async () => {
  server = await new HubServer().start();
  const known = { revisions: { main: COMMIT }, commits: { [COMMIT]: { 'test.jsonl': big, 'm.gguf': big } } };
  server.repositories.set('owner/repo', known);
  server.repositories.set('datasets/owner/repo', known);
});
beforeEach(() => {
  server.mischief.clear();
  server.seen.length = 0;
  [server.folder, server.linkHost] = ['', null];
});
afterAll(() => server.stop());

/** How data sets are fetched, and how models are; adapters are fetched as models. */
const KINDS: Readonly<Record<string, { file: string; fetch(access: HubAccess): Promise<readonly HubFile[]> }>> = {
  'data set': {
    file: '/test.jsonl',
    fetch: (access) =>
      fetchHubDataset({ name: 'owner/repo', revision: undefined, config: undefined, rows: { split: 'test' } }, access),
  },
  model: {
    file: '/m.gguf',
    async fetch(access) {
      const files = await listModel(modelReference('hf:owner/repo/m.gguf')!, access);
      await fetchModel(files, access);
      return files;
    },
  },
};
const PHASES = {
  revision: () => '/revision/main',
  tree: () => `/tree/${COMMIT}`,
  file: (kind: string) => KINDS[kind]!.file,
};
const places = Object.keys(KINDS).flatMap((kind) =>
  (Object.keys(PHASES) as (keyof typeof PHASES)[]).map((phase) => [kind, phase] as const),
);

async function trouble(kind: string, phase: keyof typeof PHASES, tricks: readonly Mischief[], stallMs = 5000) {
  const pauses: number[] = [];
  server.mischief.set(PHASES[phase](kind), [...tricks]);
  const access = server.access({ pauses, stallMs });
  const outcome = await KINDS[kind]!.fetch(access).then(
    ([file]) => (readFileSync(file!.path).equals(big) ? 'whole' : 'other bytes'),
    (error) => (error.code === 'missing-file' ? (error.message as string) : error),
  );
  return { outcome, pauses };
}

describe.each(places)('%s, %s:', (kind, phase) => {
  it.each([408, 429, 500, 502, 503, 504])('status %i is tried again', async (status) => {
    const { outcome, pauses } = await trouble(kind, phase, [{ status }, { status, headers: { 'retry-after': '3' } }]);
    expect([outcome, pauses]).toEqual(['whole', [1000, 3000]]);
  });

  it.each([400, 401, 403, 404, 410, 416, 451])('status %i is a fault at once', async (status) => {
    const { outcome, pauses } = await trouble(kind, phase, [{ status }]);
    expect([outcome, pauses]).toEqual([expect.stringMatching(new RegExp(`owner/repo.*\\(${status}\\)`)), []]);
  });

  it('a server that never begins to answer, or closes the connection, is asked again', async () => {
    const { outcome, pauses } = await trouble(kind, phase, [{ silent: 'open' }, { silent: 'closed' }], 300);
    expect([outcome, pauses.slice(0, 2)]).toEqual(['whole', [1000, 2000]]);
  });

  it('a server that never answers is given up', async () => {
    const silent = Array.from({ length: 4 }, () => ({ silent: 'closed' }) as const);
    const { outcome } = await trouble(kind, phase, silent);
    expect(outcome).toMatch(/owner\/repo.*connection failed \(.+\), 4 times in a row; .*try again later/);
  });

  it('relative redirects are followed; one without a goal, to a password, or in a circle is refused', async () => {
    const at = PHASES[phase](kind);
    const parent = phase === 'file' ? '.' : `../${phase}`;
    const followed = await trouble(kind, phase, [
      { redirect: `${parent}${at.slice(at.lastIndexOf('/'))}`, status: 307 },
    ]);
    expect(followed).toEqual({ outcome: 'whole', pauses: [] });
    for (const [redirect, message] of [
      ['', /redirects without saying where|more than 10 redirects/],
      ['http://', /redirects without saying where/],
      ['http://user:secret@127.0.0.1/', /to an address with a password/],
      ['ftp://127.0.0.1/x', /redirects to ftp:, which is refused/],
    ] as const) {
      const { outcome, pauses } = await trouble(
        kind,
        phase,
        Array.from({ length: 11 }, () => ({ redirect })),
      );
      expect([outcome, pauses]).toEqual([expect.stringMatching(message), []]);
      expect(outcome).not.toContain('secret');
    }
  });
});

describe.each(Object.keys(KINDS))('the file of a %s', (kind) => {
  it.each<[string, Mischief[], number[]]>([
    ['unpacks what the server packed unasked', [{ gzip: true }], []],
    ['a cut without a length is taken up', [{ chunkedUntil: 50_000 }], [1000]],
    ['goes on over several cuts', [{ cutAfter: 40_000 }, { cutAfter: 0 }, { cutAfter: 30_000 }], [1000, 2000, 1000]],
    ['begins again where the server packs the rest', [{ cutAfter: 40_000 }, { gzip: true }], [1000]],
    [
      'begins again where ranges are not known',
      [{ cutAfter: 40_000 }, { body: big, cutAfter: 1e9, noRanges: true }],
      [1000],
    ],
    ['begins again where the range is refused', [{ cutAfter: 40_000 }, { status: 416 }], [1000, 1000]],
    ['an answer without a byte is tried again', [{ text: '' }], [1000]],
    ['a page of a proxy in its place is tried again', [{ text: '<html>sign in</html>' }], [1000, 1000]],
  ])('%s', async (_, tricks, waits) => {
    const { outcome, pauses } = await trouble(kind, 'file', tricks);
    expect(outcome).toBe('whole');
    expect(pauses.length).toBeGreaterThanOrEqual(waits.length);
  });
});

describe('listings', () => {
  it.each<[keyof typeof PHASES, Mischief[], RegExp]>([
    ['revision', [{ text: 'null' }], /does not say which commit/],
    ['revision', [{ text: '{"sha": "main"}' }], /does not say which commit/],
    ['revision', Array(4).fill({ text: '<html>' }), /answer of the hub is no JSON, 4 times/],
    ['revision', Array(4).fill({ text: '' }), /answer of the hub is no JSON, 4 times/],
    ['tree', [{ text: '{"error": "x"}' }], /lists its files in a form that is not known/],
    ['tree', [{ text: '[null]' }], /lists its files in a form that is not known/],
    ['tree', [{ text: '[{"type": "file", "path": "test.jsonl"}]' }], /in a form that is not known/],
    ['tree', [{ text: '[{"type": "file", "path": "m.gguf", "size": -1, "oid": "0"}]' }], /in a form that is not known/],
    ['tree', [{ text: '[]', next: 'http://[' }], /link to more of its files cannot be read/],
    ['tree', Array(3).fill({ text: '[]', next: '?again=1' }), /its list of files do not end/],
  ])('a %s that is answered with %j is a fault', async (phase, tricks, message) => {
    expect((await trouble('model', phase, tricks)).outcome).toMatch(message);
  });

  it.each(['../../../m.gguf', 'x//m.gguf', 'x/./m.gguf', 'C:\\m.gguf', 'm\ud800.gguf'])(
    'a file called %s is not kept',
    async (name) => {
      const repository = { revisions: { main: COMMIT }, commits: { [COMMIT]: { [name]: big } } };
      server.repositories.set('datasets/owner/odd', repository);
      const odd = { name: 'owner/odd', revision: undefined, config: undefined, rows: { files: [name] } };
      const found = fetchHubDataset(odd, server.access());
      await expect(found).rejects.toThrow(/owner\/odd: the file name .* is not one that can be kept/);
    },
  );

  it('a listing on the disk that was damaged is asked for again', async () => {
    const access = server.access();
    const [file] = await KINDS.model!.fetch(access);
    const trees = path.join(path.dirname(file!.path), '../../trees', `${COMMIT}.json`);
    for (const damage of ['[1]', '{', '[{"path": "m.gguf"}]']) {
      writeFileSync(trees, damage);
      await KINDS.model!.fetch(access);
    }
    expect(JSON.parse(readFileSync(trees, 'utf8'))).toHaveLength(2);
  });
});

describe('the address of the hub', () => {
  it.each(['huggingface.co', 'ftp://127.0.0.1', 'http://', 'http://name:hunter22@127.0.0.1:1'])(
    'HF_ENDPOINT=%s is a fault that does not repeat it',
    async (endpoint) => {
      const error = await KINDS.model!.fetch(server.access({ endpoint })).catch((reason) => reason);
      expect(error).toMatchObject({
        code: 'missing-file',
        message: expect.stringContaining('HF_ENDPOINT is no address'),
      });
      expect(error.message).not.toContain('hunter22');
    },
  );

  it('may have a path and a slash at its end; further pages are asked for there, with the token', async () => {
    server.folder = '/mirror/hf';
    const { endpoint } = await hubEnvironment({ HF_ENDPOINT: `${server.endpoint}/`, HF_HOME: '/none' });
    for (const linkHost of [null, 'https://hub.invalid', '/mirror/hf']) {
      server.linkHost = linkHost;
      const access = server.access({ endpoint, token: 'hf_CANARY' });
      await KINDS['data set']!.fetch(access);
      expect(server.seen.every(({ url }) => url.startsWith('/mirror/hf/'))).toBe(true);
      expect(server.seen.every(({ headers }) => headers.authorization === 'Bearer hf_CANARY')).toBe(true);
    }
    expect(server.seen.filter(({ url }) => url.includes('cursor='))).toHaveLength(3);
  });

  it('a redirect from https to http is refused, before anything is sent there', async () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url);
      return new Response(null, { status: 302, headers: { location: 'http://hub.example/x' } });
    });
    try {
      const access = server.access({ endpoint: 'https://hub.example', token: 'hf_CANARY' });
      await expect(KINDS.model!.fetch(access)).rejects.toThrow(/redirects to http:, which is refused/);
      expect(asked).toEqual(['https://hub.example/api/models/owner/repo/revision/main']);
    } finally {
      vi.unstubAllGlobals();
    }
  });
});

describe('a hub that is not there', () => {
  it('is waited for once; what comes after is tried once, until it answers', async () => {
    const pauses: number[] = [];
    const found = { unreachable: false };
    const gone = await new HubServer().start();
    const { endpoint } = gone;
    await gone.stop();
    const away = server.access({ endpoint, pauses, found });
    await expect(KINDS.model!.fetch(away)).rejects.toThrow(/connection failed \(\w+\), 4 times in a row/);
    expect(pauses).toEqual([1000, 2000, 4000]);
    await expect(KINDS['data set']!.fetch(away)).rejects.toThrow(/connection failed \(\w+\), as before/);
    expect(pauses).toHaveLength(3);
    // A server that is there and busy is no such case.
    const back = { ...away, endpoint: server.endpoint };
    server.mischief.set('/revision/main', [{ status: 503 }]);
    await KINDS.model!.fetch(back);
    expect([found.unreachable, pauses]).toEqual([false, [1000, 2000, 4000, 1000]]);
  });
});

describe('one file and two runs', () => {
  it('is fetched by one of them; the other waits and finds it', async () => {
    const access = server.access({ lock: (target) => lockEntry(target, { pollMs: 20 }) });
    server.mischief.set('/m.gguf', [{ cutAfter: 60_000 }]);
    const [[one], [two]] = await Promise.all([KINDS.model!.fetch(access), KINDS.model!.fetch(access)]);
    expect(one).toEqual(two);
    expect(readFileSync(one!.path).equals(big)).toBe(true);
    expect(server.requestsFor('.gguf').map(({ headers }) => headers.range)).toEqual([undefined, 'bytes=60000-']);
    expect(readdirSync(path.dirname(one!.path))).toEqual(['m.gguf', 'm.gguf.fetched']);
  });

  it('bytes that another run wrote in between are found by the length', async () => {
    let wrote = false;
    const access = server.access({
      events: {
        onDownload({ bytes }) {
          if (bytes < 60_000 || wrote) return;
          wrote = true;
          const [folder] = readdirSync(access.folder);
          writeFileSync(path.join(access.folder, folder!, 'files', COMMIT, 'm.gguf.partial'), 'x', { flag: 'a' });
        },
      },
    });
    await expect(KINDS.model!.fetch(access)).rejects.toThrow(/not those that the hub lists \(size or hash differ\)/);
    const [file] = await KINDS.model!.fetch(access);
    expect(readFileSync(file!.path).equals(big)).toBe(true);
  });
});

describe('a split model of which the tools of the hub have one part', () => {
  it('is found as `--quant BF16` names it, in the parts and the folder that its repository has', async () => {
    const parts = ['BF16/m-BF16-00001-of-00002.gguf', 'BF16/m-BF16-00002-of-00002.gguf'] as const;
    server.repositories.set('owner/whole', {
      revisions: { main: COMMIT },
      commits: { [COMMIT]: { 'm.Q8_0.gguf': big, [parts[0]]: big, [parts[1]]: big.subarray(1) } },
    });
    const access = server.access();
    const files = await listModel(modelReference('hf:owner/whole/m.BF16.gguf')!, access);
    expect(files.map(({ listed }) => listed.path)).toEqual(parts);
    await fetchModel(files, access);
    expect(await findModel(files, access)).not.toBeNull();
    const lacking = listModel(modelReference('hf:owner/whole/m.F16.gguf')!, access);
    await expect(lacking).rejects.toThrow(/no file m\.F16\.gguf at main; it has .*m-BF16-00001-of-00002/);
  });

  it('is fetched whole into one folder; what whole parts and a broken download left is told', async () => {
    const shared = server.access().folder;
    const parts = ['s-00001-of-00002.gguf', 's-00002-of-00002.gguf'] as const;
    server.repositories.set('owner/split', {
      revisions: { main: COMMIT },
      commits: { [COMMIT]: { [parts[0]]: big, [parts[1]]: big.subarray(1) } },
    });
    layDownload(shared, { repository: 'models--owner--split', commit: COMMIT, name: parts[0], content: big });

    const access = server.access({ sharedFolder: shared });
    const files = await listModel(modelReference(`hf:owner/split/${parts[0]}`)!, access);
    expect([await findModel(files, access), await bytesHere(files)]).toEqual([null, 0]);
    await fetchModel(files, access);
    expect((await findModel(files, access))!.map((file) => path.basename(file.path))).toEqual(parts);
    truncateSync(files[1]!.path, 500);
    renameSync(files[1]!.path, `${files[1]!.path}.partial`);
    expect(await bytesHere(files)).toBe(big.length + 500);
    await fetchModel(files, access);
    expect(server.requestsFor('.gguf').map(({ headers }) => headers.range)).toEqual([
      undefined,
      undefined,
      'bytes=500-',
    ]);
  });
});

describe('a disk that fills up during a download', () => {
  it('is named, and what came so far is kept', async (context) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-hub-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const filler = path.join(folder, 'filler');
    const events = {
      onLog: () => {
        if (!existsSync(filler)) for (const size of [2 ** 18, 4096]) fill(filler, size);
      },
    };
    const access = server.access({ folder, events });
    if (!mountSmallDisk(folder, '256k')) return context.skip('no right to mount a file system');
    server.mischief.set('/m.gguf', [{ cutAfter: 40_000 }]);
    const error = await KINDS.model!.fetch(access).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'write-failed', message: expect.stringContaining('the disk is full') });
    rmSync(filler);
    const [file] = await KINDS.model!.fetch(access);
    expect(statSync(file!.path).size).toBe(big.length);
    expect(server.requestsFor('.gguf').at(-1)!.headers.range).toMatch(/^bytes=[1-9]\d+-$/);
  });

  function fill(file: string, piece: number): void {
    try {
      for (;;) writeFileSync(file, new Uint8Array(piece), { flag: 'a' });
    } catch {
      // Full.
    }
  }
});
