import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { downloadFile } from '../../src/hub/download-file.js';
import { fetchHubDataset } from '../../src/hub/fetch-hub-dataset.js';
import { fetchListed, listedFile } from '../../src/hub/fetch-hub-file.js';
import { type DownloadProgress, type HubAccess, hubEnvironment } from '../../src/hub/hub-access.js';
import { fetchModel, findModel, listModel, modelReference } from '../../src/hub/hub-model.js';
import { type HubRepository, listRepository, repositoryFolder } from '../../src/hub/hub-repository.js';
import { verifyDownloads } from '../../src/hub/verify-downloads.js';
import { HubServer } from './hub-server.js';
import { layDownload } from './lay-download.js';

const COMMIT = 'a'.repeat(40);
const big = Uint8Array.from({ length: 200_000 }, (_, n) => (n * 7919) % 251);
const small = new TextEncoder().encode('{"id": 1}\n');
const repository = { kind: 'model', name: 'owner/repo', revision: 'main' } as const;

let server: HubServer;
beforeEach(async () => {
  server = await new HubServer().start();
  server.repositories.set('owner/repo', {
    revisions: { main: COMMIT },
    commits: { [COMMIT]: { 'a b.gguf': big, 'x/small.json': small, 'empty.txt': new Uint8Array() } },
  });
});
afterEach(() => server.stop());

const isBig = (file: string) => readFileSync(file).equals(big);
/** One file of a repository by its path, as models and data sets fetch theirs. */
async function fetchHubFile(from: HubRepository, file: string, access: HubAccess) {
  const { commit, files } = await listRepository(from, access);
  return fetchListed(from, commit, listedFile(from, files, file), access);
}
const fetchBig = (access: HubAccess) => fetchHubFile(repository, 'a b.gguf', access);
const onBig = (...mischief: Parameters<typeof server.mischief.set>[1]) => server.mischief.set('/a b.gguf', mischief);

describe('fetchListed', () => {
  it('downloads once, checks size and hash, and needs no connection afterwards', async () => {
    const access = server.access();
    const file = await fetchBig(access);
    expect(isBig(file.path)).toBe(true);
    expect(file).toMatchObject({ commit: COMMIT, shown: 'owner/repo@aaaaaaa/a b.gguf', listed: { bytes: 200_000 } });
    expect(readdirSync(path.dirname(file.path))).toEqual(['a b.gguf', 'a b.gguf.fetched']);
    const asked = server.seen.length;
    expect(await fetchBig(access)).toEqual(file);
    expect(await fetchBig({ ...access, offline: true })).toEqual(file);
    expect(server.seen).toHaveLength(asked);
  });

  it('reads a download again before use: bytes changed in place are fetched anew, offline they are refused', async () => {
    const access = server.access();
    for (const name of ['a b.gguf', 'x/small.json']) {
      const file = await fetchHubFile(repository, name, access);
      const sound = readFileSync(file.path);
      const rotten = Buffer.from(sound);
      rotten[7] = (rotten[7] ?? 0) ^ 1;
      writeFileSync(file.path, rotten);
      const offline = fetchHubFile(repository, name, { ...access, offline: true });
      await expect(offline).rejects.toThrow(/was changed after its download: its (sha256|git hash) is not the one/);
      await fetchHubFile(repository, name, access);
      expect(readFileSync(file.path).equals(sound)).toBe(true);
    }
  });

  it('writes through no link that lies where a download grows', async () => {
    const access = server.access();
    const at = (await fetchBig(access)).path;
    rmSync(at);
    const victim = path.join(access.folder, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, `${at}.partial`);
    await expect(fetchBig(access)).rejects.toMatchObject({ code: 'write-failed' });
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });

  it('takes the sound copy of the tools of the hub in place of a rotten one of ours', async () => {
    const access = server.access();
    const file = await fetchBig(access);
    writeFileSync(file.path, Buffer.from(big).fill(1, 0, 1));
    const sharedFolder = path.join(access.folder, 'shared');
    layDownload(sharedFolder, { repository: 'models--owner--repo', commit: COMMIT, name: 'a b.gguf', content: big });
    const found = await fetchBig({ ...access, sharedFolder, offline: true });
    expect([found.path === file.path, isBig(found.path)]).toEqual([false, true]);
  });

  it('verifies downloads: names those whose bytes changed and those whose list is gone', async () => {
    const access = server.access();
    const [one, two] = [await fetchBig(access), await fetchHubFile(repository, 'x/small.json', access)];
    writeFileSync(`${one.path}.partial`, 'of a broken download');
    expect(await verifyDownloads(access)).toEqual({ files: 2, damaged: [] });
    writeFileSync(two.path, '{"id": 2}\n');
    const changed = { file: two.path, reason: 'its bytes are not those that the hub lists' };
    expect(await verifyDownloads(access)).toEqual({ files: 2, damaged: [changed] });
    rmSync(path.join(repositoryFolder(repository, access), 'trees'), { recursive: true });
    expect((await verifyDownloads(access)).damaged.map(({ reason }) => reason)).toEqual(
      Array(2).fill(expect.stringMatching(/the list that names its hash is gone/)),
    );
  });

  it('checks files outside large-file storage by their git hash, and empty ones', async () => {
    const access = server.access();
    expect(readFileSync((await fetchHubFile(repository, 'x/small.json', access)).path, 'utf8')).toBe('{"id": 1}\n');
    expect(statSync((await fetchHubFile(repository, 'empty.txt', access)).path).size).toBe(0);
  });

  it('fetches a file again that was cut or has bytes too many', async () => {
    const access = server.access();
    const file = await fetchBig(access);
    truncateSync(file.path, 1000);
    await fetchBig(access);
    expect(isBig(file.path)).toBe(true);
    writeFileSync(file.path, Buffer.concat([big, small]));
    await fetchBig(access);
    expect(isBig(file.path)).toBe(true);
  });

  it('goes on where a cut and a stall left off', async () => {
    const pauses: number[] = [];
    const steps: DownloadProgress[] = [];
    onBig({ cutAfter: 50_000 }, { stallAfter: 70_000 });
    const file = await fetchBig(
      server.access({ pauses, stallMs: 200, events: { onDownload: (step) => steps.push(step) } }),
    );
    expect(isBig(file.path)).toBe(true);
    expect(server.requestsFor('.gguf').map(({ headers }) => headers.range)).toEqual([
      undefined,
      'bytes=50000-',
      'bytes=120000-',
    ]);
    expect(pauses).toEqual([1000, 1000]);
    expect(steps.at(-1)).toEqual({
      file: 'owner/repo a b.gguf',
      bytes: 200_000,
      totalBytes: 200_000,
      resumedBytes: 120_000,
    });
  });

  it('goes on in the next run, and leaves no file under the final name before it is whole', async () => {
    const access = server.access();
    onBig({ cutAfter: 90_000 }, { status: 503 }, { status: 503 }, { status: 503 }, { status: 503 });
    await expect(fetchBig(access)).rejects.toThrow(
      /owner\/repo a b\.gguf: the hub answers 503, 4 times in a row; .*kept/,
    );
    const [folder] = readdirSync(access.folder);
    const at = path.join(access.folder, folder!, 'files', COMMIT);
    expect(readdirSync(at).sort()).toEqual(['a b.gguf.partial', 'a b.gguf.partial.etag']);
    const file = await fetchBig(access);
    expect(server.requestsFor('.gguf').at(-1)!.headers.range).toBe('bytes=90000-');
    expect(isBig(file.path)).toBe(true);
  });

  it('starts again when the file changed in between (If-Range), and when kept bytes are of another file', async () => {
    const other = big.map((byte) => byte ^ 1);
    onBig({ body: other, cutAfter: 50_000 }, { cutAfter: 10 });
    const access = server.access();
    expect(isBig((await fetchBig(access)).path)).toBe(true);
    const ranges = server.requestsFor('.gguf').map(({ headers }) => [headers.range, headers['if-range'] !== undefined]);
    expect(ranges[1]).toEqual(['bytes=50000-', true]);

    const fresh = server.access();
    const file = await fetchBig(fresh);
    const partial = `${file.path}.partial`;
    truncateSync(file.path, 0);
    writeFileSync(partial, other.subarray(0, 100_000));
    expect(isBig((await fetchBig(fresh)).path)).toBe(true);
    expect(existsSync(partial)).toBe(false);
  });

  it('refuses bytes that are not those listed', async () => {
    onBig({ body: big.map((byte) => byte ^ 1) });
    await expect(fetchBig(server.access())).rejects.toThrow(/not those that the hub lists \(size or hash differ\)/);
    onBig({ body: Buffer.concat([big, small]) });
    await expect(fetchBig(server.access())).rejects.toThrow(/not those that the hub lists/);
  });

  it('says before the first byte that the disk is too small', async () => {
    const access = server.access();
    const listed = { path: 'x.gguf', bytes: 2 ** 60, sha256: 'f'.repeat(64), blobSha1: '' };
    const download = { url: server.endpoint, what: 'o/r x.gguf', target: path.join(access.folder, 'x.gguf'), listed };
    await expect(downloadFile(download, access)).rejects.toThrow(/o\/r x\.gguf needs 1152921504\.61 GB more, but only/);
    expect(server.seen).toEqual([]);
  });

  it('gives up on a server that cuts every answer at the same byte', async () => {
    onBig(...Array.from({ length: 20 }, () => ({ body: big, status: 0, cutAfter: 100 }) as never));
    server.mischief.set(
      '/a b.gguf',
      Array.from({ length: 20 }, () => ({ cutAfter: 0 })),
    );
    await expect(fetchBig(server.access())).rejects.toThrow(/4 times in a row/);
  });
});

describe('trouble', () => {
  it('waits as Retry-After says, in seconds or as a date, else longer each time', async () => {
    const pauses: number[] = [];
    const soon = new Date(Date.now() + 20_000).toUTCString();
    server.mischief.set('/revision/main', [
      { status: 429, headers: { 'retry-after': '7' } },
      { status: 503, headers: { 'retry-after': soon } },
      { status: 500 },
    ]);
    await fetchBig(server.access({ pauses }));
    expect(pauses[0]).toBe(7000);
    expect(pauses[1]).toBeGreaterThan(15_000);
    expect(pauses[1]).toBeLessThanOrEqual(20_000);
    expect(pauses[2]).toBe(4000);
  });

  it.each([
    [401, {}, /no such repository, or a private one; check the name; set HF_TOKEN .*\(401\)/],
    [
      401,
      { 'x-error-code': 'GatedRepo' },
      /owner\/repo.* is gated, and no token is set: accept its terms on http.*\/owner\/repo, then set HF_TOKEN .*\(401\)/,
    ],
    [403, {}, /access is refused/],
    [404, {}, /not found; check owner, name, revision and file \(404\)/],
    [404, { 'x-error-code': 'RevisionNotFound' }, /no such revision; name a branch, tag or commit/],
    [418, {}, /refuses the request \(418\)/],
  ])('says at once what %i (%j) means', async (status, headers, message) => {
    const pauses: number[] = [];
    server.mischief.set('/revision/main', [{ status, headers: headers as Record<string, string> }]);
    await expect(fetchBig(server.access({ pauses }))).rejects.toThrow(message);
    expect(pauses).toEqual([]);
  });

  it.each([
    [403, { 'x-error-code': 'GatedRepo' }, /is gated, and the account of the token in use has not accepted its terms/],
    [401, { 'x-error-message': 'Invalid credentials' }, /the hub does not know the token in use .* mistyped, expired/],
    [401, { 'x-error-code': 'GatedRepo' }, /the hub does not know the token in use/],
    [401, { 'x-error-code': 'RepoNotFound' }, /no such repository, or a private one; .* the token in use may not/],
  ])('with a token, says what %i (%j) means', async (status, headers, message) => {
    server.mischief.set('/revision/main', [{ status, headers: headers as Record<string, string> }]);
    const error = await fetchBig(server.access({ token: 'hf_CANARY' })).catch((reason) => reason);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('CANARY');
  });

  it.each([
    ['..', 'main'],
    ['.', 'main'],
    ['x/..', 'main'],
    ['../x', 'main'],
    ['owner/repo/..', 'main'],
    ['owner/repo', '..'],
    ['owner/repo', 'refs/../..'],
    ['owner/repo?x', 'main'],
  ])('asks nothing for a repository called %s at %s', async (name, revision) => {
    const odd = { kind: 'dataset', name, revision } as const;
    await expect(listRepository(odd, server.access())).rejects.toThrow(/is no name of a repository and a revision/);
    expect(server.seen).toEqual([]);
  });

  it('says that the connection failed when there is no server', async () => {
    const access = { ...server.access(), endpoint: 'http://127.0.0.1:1' };
    await expect(fetchBig(access)).rejects.toThrow(/connection failed \(.+\), 4 times in a row/);
  });

  it('names the files there are when one is missing', async () => {
    await expect(fetchHubFile(repository, 'b.gguf', server.access())).rejects.toThrow(
      /no file b\.gguf at main; it has a b\.gguf/,
    );
  });

  it('offline, says what is missing instead of asking', async () => {
    const access = server.access({ offline: true });
    await expect(fetchBig(access)).rejects.toThrow(/owner\/repo at main: is not in the cache, and --offline/);
    await fetchHubFile(repository, 'x/small.json', { ...access, offline: false });
    const asked = server.seen.length;
    await expect(fetchBig(access)).rejects.toThrow(/owner\/repo a b\.gguf: is not in the cache, and --offline/);
    expect(server.seen).toHaveLength(asked);
  });

  it('ends at once when interrupted, and keeps the bytes', async () => {
    const abort = new AbortController();
    onBig({ stallAfter: 60_000 });
    const onDownload = (step: DownloadProgress) => {
      if (step.bytes === 60_000) abort.abort();
    };
    const access = server.access({ signal: abort.signal, events: { onDownload } });
    await expect(fetchBig(access)).rejects.toMatchObject({ code: 'interrupted' });
    const { signal: _, ...again } = access;
    await fetchBig(again);
    expect(server.requestsFor('.gguf').at(-1)!.headers.range).toBe('bytes=60000-');
  });
});

describe('redirects and the token', () => {
  it('follows to another host without the token, and sends it to the own one', async () => {
    const cdn = await new HubServer().start();
    try {
      cdn.repositories.set('owner/repo', server.repositories.get('owner/repo')!);
      onBig({ redirect: `${cdn.endpoint}/owner/repo/resolve/${COMMIT}/a%20b.gguf?signature=1` });
      const file = await fetchBig(server.access({ token: 'hf_CANARY' }));
      expect(isBig(file.path)).toBe(true);
      expect(server.seen.every(({ headers }) => headers.authorization === 'Bearer hf_CANARY')).toBe(true);
      expect(cdn.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    } finally {
      await cdn.stop();
    }
  });

  it('follows a redirect on the own host with the token, and gives up on a circle', async () => {
    const at = `/owner/repo/resolve/${COMMIT}/a%20b.gguf`;
    onBig({ redirect: at });
    await fetchBig(server.access({ token: 'hf_CANARY' }));
    onBig(...Array.from({ length: 11 }, () => ({ redirect: at })));
    await expect(fetchBig(server.access({ token: 'hf_CANARY' }))).rejects.toThrow(/more than 10 redirects/);
  });

  it('refuses to be led to anything but the web', async () => {
    onBig({ redirect: 'file:///etc/passwd' });
    await expect(fetchBig(server.access())).rejects.toThrow(/redirects to file:, which is refused/);
  });

  it('no message holds the token or the query of a signed address', async () => {
    const lines: string[] = [];
    const events = { onLog: (_: string, message: string) => void lines.push(message) };
    onBig({ redirect: `${server.endpoint}/x?signature=SECRET` }, { status: 500 });
    const error = await fetchBig(server.access({ token: 'hf_CANARY', events })).catch((reason) => reason);
    expect(`${error.message}${lines.join()}`).not.toMatch(/CANARY|SECRET/);
  });
});

describe('revisions', () => {
  const NEXT = 'b'.repeat(40);

  it('a branch stays at the commit that was found first until it is refreshed', async () => {
    const access = server.access();
    expect((await fetchBig(access)).commit).toBe(COMMIT);
    const known = server.repositories.get('owner/repo')!;
    known.revisions.main = NEXT;
    known.commits[NEXT] = { 'a b.gguf': big };
    expect((await fetchBig(access)).commit).toBe(COMMIT);
    expect((await fetchBig({ ...access, refresh: true })).commit).toBe(NEXT);
    expect((await fetchBig(access)).commit).toBe(NEXT);
  });

  it('a kept note that names no commit is asked for again, and offline leads nowhere', async () => {
    const access = server.access();
    await fetchBig(access);
    const [note] = readdirSync(access.folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /refs.main/.test(file),
    );
    for (const commit of ['../../../x', '', 7, `${COMMIT}/..`]) {
      writeFileSync(path.join(access.folder, note!), JSON.stringify({ revision: 'main', commit }));
      await expect(fetchBig({ ...access, offline: true })).rejects.toThrow(/is not in the cache, and --offline/);
    }
    expect((await fetchBig(access)).commit).toBe(COMMIT);
  });

  it('a branch with a slash, and a commit, are asked for as they are', async () => {
    server.repositories.get('owner/repo')!.revisions['refs/pr/1'] = COMMIT;
    const access = server.access();
    await fetchHubFile({ ...repository, revision: 'refs/pr/1' }, 'x/small.json', access);
    expect(server.seen[0]!.url).toBe('/api/models/owner/repo/revision/refs%2Fpr%2F1');
    await fetchHubFile({ ...repository, revision: COMMIT }, 'x/small.json', server.access());
    expect(server.requestsFor(`/revision/${COMMIT}`)).toEqual([]);
  });
});

describe("downloads of the hub's own tools", () => {
  function share(name: string, content: Uint8Array, hash: string): string {
    const shared = server.access().folder;
    layDownload(shared, { repository: 'models--owner--repo', commit: COMMIT, name, content, hash });
    return shared;
  }
  const sha256 = createHash('sha256').update(big).digest('hex');

  it('are used as they are', async () => {
    const sharedFolder = share('a b.gguf', big, sha256);
    const file = await fetchBig(server.access({ sharedFolder }));
    expect(file.path.startsWith(sharedFolder)).toBe(true);
    expect(isBig(file.path)).toBe(true);
    expect(server.requestsFor('.gguf')).toEqual([]);
  });

  it('are refused offline as changed, and not as missing, where their bytes are others', async () => {
    const sharedFolder = share('a b.gguf', Buffer.from(big).fill(1, 0, 1), sha256);
    const access = server.access({ sharedFolder });
    await listModel(modelReference('hf:owner/repo/a b.gguf')!, access);
    await expect(fetchBig({ ...access, offline: true })).rejects.toThrow(/was changed after its download: its sha256/);
  });

  it('are enough offline, at a branch or a commit, without any listing of ours', async () => {
    const sharedFolder = share('a b.gguf', big, sha256);
    const folder = path.join(sharedFolder, 'models--owner--repo');
    mkdirSync(path.join(folder, 'refs'));
    writeFileSync(path.join(folder, 'refs', 'main'), `${COMMIT}\n`);
    const access = server.access({ sharedFolder, offline: true });
    for (const at of ['', `@${COMMIT}`]) {
      const files = await listModel(modelReference(`hf:owner/repo${at}/a b.gguf`)!, access);
      await fetchModel(files, access);
      expect(isBig((await findModel(files, access))![0]!.path)).toBe(true);
    }
    // What they have not fetched may be on the hub all the same.
    for (const other of ['hf:owner/repo/b.gguf', 'hf:owner/repo@v2/a b.gguf'])
      await expect(listModel(modelReference(other)!, access)).rejects.toThrow(/is not in the cache, and --offline/);
    expect(server.seen).toEqual([]);
  });

  it('are enough offline for a split of a data set, or for the conversion of one that is a script', async () => {
    const sharedFolder = server.access().folder;
    const lay = (revision: string, commit: string, name: string) => {
      const folder = layDownload(sharedFolder, { repository: 'datasets--o--d', commit, name, content: big });
      const ref = path.join(folder, 'refs', revision);
      mkdirSync(path.dirname(ref), { recursive: true });
      writeFileSync(ref, commit);
    };
    const access = server.access({ sharedFolder, offline: true });
    const fetchSplit = (rows: { split: string } | { files: string[] }) =>
      fetchHubDataset({ name: 'o/d', revision: undefined, config: undefined, rows }, access);
    lay('refs/convert/parquet', 'c'.repeat(40), 'default/test/0000.parquet');
    expect((await fetchSplit({ split: 'test' }))[0]!.shown).toBe('o/d@ccccccc/default/test/0000.parquet');
    lay('main', COMMIT, 'data/dev-00000-of-00001.parquet');
    expect((await fetchSplit({ split: 'dev' }))[0]!.shown).toBe('o/d@aaaaaaa/data/dev-00000-of-00001.parquet');
    expect(await fetchSplit({ files: ['data/dev-00000-of-00001.parquet'] })).toHaveLength(1);
    await expect(fetchSplit({ files: ['data/train.parquet'] })).rejects.toThrow(/is not in the cache, and --offline/);
  });

  it('are not taken when they are cut or of another name than their hash', async () => {
    for (const sharedFolder of [share('a b.gguf', big.subarray(1), sha256), share('a b.gguf', big, 'f'.repeat(64))]) {
      const file = await fetchBig(server.access({ sharedFolder }));
      expect(file.path.startsWith(sharedFolder)).toBe(false);
    }
  });
});

describe('a mirror', () => {
  it('is asked for every page, also when its links lead to the hub itself', async () => {
    server.linkHost = 'https://hub.invalid';
    const access = server.access({ token: 'hf_CANARY' });
    await fetchHubFile(repository, 'x/small.json', access);
    expect(server.seen.filter(({ url }) => url.includes('cursor=')).length).toBeGreaterThan(0);
  });
});

describe('hubEnvironment', () => {
  it('finds endpoint, token and folders as the tools of the hub do', async () => {
    const home = server.access().folder;
    writeFileSync(path.join(home, 'token'), 'hf_saved\n');
    expect(await hubEnvironment({ HF_HOME: home, HF_ENDPOINT: 'https://mirror.example/' })).toEqual({
      endpoint: 'https://mirror.example',
      token: 'hf_saved',
      offline: false,
      sharedFolder: path.join(home, 'hub'),
    });
    const other = path.join(home, 'other');
    writeFileSync(other, 'hf_other');
    const env = { HF_HOME: home, HF_TOKEN_PATH: other, HF_HUB_OFFLINE: '1', HF_HUB_CACHE: '/shared' };
    expect(await hubEnvironment(env)).toMatchObject({ token: 'hf_other', offline: true, sharedFolder: '/shared' });
    expect(await hubEnvironment({ HF_HOME: home, HF_TOKEN: ' hf_env ' })).toMatchObject({ token: 'hf_env' });
    const older = { HF_HOME: home, HUGGING_FACE_HUB_TOKEN: 'hf_old', HUGGINGFACE_HUB_CACHE: '/old' };
    expect(await hubEnvironment(older)).toMatchObject({ token: 'hf_old', sharedFolder: '/old' });
    const both = { ...older, HF_TOKEN: 'hf_new', HF_HUB_CACHE: '/new' };
    expect(await hubEnvironment(both)).toMatchObject({ token: 'hf_new', sharedFolder: '/new' });
    expect(await hubEnvironment({ HF_HOME: path.join(home, 'none') })).toMatchObject({
      endpoint: 'https://huggingface.co',
      token: null,
    });
  });
});
