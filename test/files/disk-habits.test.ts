import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { removeFile, removeFolder } from '../../src/files/busy-files.js';
import { FileReader } from '../../src/files/file-reader.js';
import { flushFolder } from '../../src/files/flush-folder.js';
import { makeFolder } from '../../src/files/make-folder.js';
import { refuseLinks } from '../../src/files/refuse-links.js';
import { writeFileAtomic, writeFilesTogether } from '../../src/files/write-file-atomic.js';
import { writeStreamAtomic } from '../../src/files/write-stream-atomic.js';
import { downloadFile } from '../../src/hub/download-file.js';
import { openWriter, testKey } from '../cache/cache-fixture.js';
import { testIds, testRow } from '../cache/test-ingredients.js';
import { HubServer } from '../hub/hub-server.js';
import { temporaryFolder } from './temporary-folder.js';

/** What the disk was asked to do, in turn: `flush NAME` and `rename NAME`; and what it is to answer. */
const disk = vi.hoisted(() => ({
  asked: [] as string[],
  onRename: (_to: string): void => undefined,
  onFlush: (_path: string): void => undefined,
  onRemove: (_path: string): void => undefined,
  removals: 0,
  /** A read returns no more bytes at once. */
  mostRead: Number.POSITIVE_INFINITY,
  /** Files and folders that are open. */
  open: new Set<unknown>(),
}));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    open: async (...given: Parameters<typeof real.open>) => {
      const handle = await real.open(...given);
      const sync = handle.sync.bind(handle);
      const file = String(given[0]);
      handle.sync = async () => {
        disk.asked.push(`flush ${file}`);
        disk.onFlush(file);
        await sync();
      };
      const read = handle.read.bind(handle) as (...place: [Uint8Array, number, number, number]) => Promise<unknown>;
      handle.read = (async (room: Uint8Array, offset: number, length: number, position: number) => {
        if (offset + length > room.length) throw new RangeError('more than there is room for');
        return read(room, offset, Math.min(length, disk.mostRead), position);
      }) as typeof handle.read;
      const close = handle.close.bind(handle);
      disk.open.add(handle);
      handle.close = async () => {
        disk.open.delete(handle);
        await close();
      };
      return handle;
    },
    rm: async (...given: Parameters<typeof real.rm>) => {
      disk.removals++;
      disk.onRemove(String(given[0]));
      await real.rm(...given);
    },
    rename: async (from: string, to: string) => {
      disk.asked.push(`rename ${to}`);
      disk.onRename(to);
      await real.rename(from, to);
    },
  };
});

beforeEach(() => {
  disk.asked.length = 0;
  disk.onRename = () => undefined;
  disk.onFlush = () => undefined;
  disk.onRemove = () => undefined;
  disk.removals = 0;
  disk.mostRead = Number.POSITIVE_INFINITY;
});

afterEach(() => {
  expect(disk.open.size).toBe(0);
});

const failing = (code: string, times: number) => {
  let left = times;
  return () => {
    if (left-- > 0) throw Object.assign(new Error(code), { code });
  };
};
/** The steps with temporary names cut to the name that the file gets. */
const steps = (folder: string) =>
  disk.asked.map((step) => step.replaceAll(`${folder}/`, '').replace(/\.([^/]+)\.\d+-[0-9a-f]{12}\.tmp/, 'new $1'));

it('a file that comes in pieces is read to its end', async () => {
  const file = path.join(temporaryFolder(), 'bytes');
  const bytes = Uint8Array.from({ length: 100 }, (_, n) => n);
  writeFileSync(file, bytes);
  disk.mostRead = 30;
  expect([...(await new FileReader().read(file))]).toEqual([...bytes]);
});

describe('what must last', () => {
  it('a file: its bytes are flushed before it gets its name, its folder after', async () => {
    const folder = temporaryFolder();
    await writeFileAtomic(path.join(folder, 'a.txt'), 'one');
    expect(steps(folder)).toEqual(['flush new a.txt', 'rename a.txt', `flush ${folder}`]);
  });

  it('a stream of text: likewise', async () => {
    const folder = temporaryFolder();
    const stream = await writeStreamAtomic(path.join(folder, 'a.txt'));
    await stream.write('one');
    await stream.commit();
    expect(steps(folder)).toEqual(['flush new a.txt', 'rename a.txt', `flush ${folder}`]);
  });

  it('a new folder: its parent is flushed, for each level; nothing for one that is there', async () => {
    const folder = temporaryFolder();
    await makeFolder(path.join(folder, 'a', 'b'));
    expect(steps(folder)).toEqual([`flush ${folder}`, 'flush a']);
    await makeFolder(path.join(folder, 'a', 'b'));
    expect(disk.asked).toHaveLength(2);
  });

  it('files that belong together: all bytes are flushed before the first gets its name', async () => {
    const folder = temporaryFolder();
    await writeFilesTogether(folder, [
      ['a', 'one'],
      ['b', 'two'],
    ]);
    // All at the same time, in no order.
    expect(steps(folder).slice(0, 2).sort()).toEqual(['flush new a', 'flush new b']);
    expect(steps(folder).slice(2)).toEqual(['rename a', 'rename b', `flush ${folder}`]);
  });
});

describe('what must last elsewhere', () => {
  it('a file in a new folder: the folder is flushed into its parent before anything is written into it', async () => {
    const folder = temporaryFolder();
    await writeFileAtomic(path.join(folder, 'new', 'a.txt'), 'one');
    expect(steps(folder)).toEqual([`flush ${folder}`, 'flush new/new a.txt', 'rename new/a.txt', 'flush new']);
  });

  it('a download: its bytes are flushed before it gets its name, its folder after, and then it is recorded as ours', async () => {
    const server = await new HubServer().start();
    onTestFinished(() => server.stop());
    const content = new TextEncoder().encode('rows');
    const commit = 'c'.repeat(40);
    server.repositories.set('o/r', { revisions: {}, commits: { [commit]: { 'rows.jsonl': content } } });
    const sha256 = createHash('sha256').update(content).digest('hex');
    const listed = { path: 'rows.jsonl', bytes: content.length, sha256, blobSha1: '' };
    const folder = temporaryFolder();
    const url = `${server.endpoint}/o/r/resolve/${commit}/rows.jsonl`;
    await downloadFile({ url, what: 'o/r', target: path.join(folder, 'rows.jsonl'), listed }, server.access());
    const file = ['flush rows.jsonl.partial', 'rename rows.jsonl', `flush ${folder}`];
    const record = ['flush new rows.jsonl.fetched', 'rename rows.jsonl.fetched', `flush ${folder}`];
    expect(steps(folder)).toEqual([...file, ...record]);
  });

  it('parts: the bytes of each before it gets its name, their folder after every fourth and before the lock goes', async () => {
    const cacheDir = temporaryFolder();
    const key = testKey();
    const ids = testIds(6);
    const writer = await openWriter(cacheDir, key, { ids });
    disk.asked.length = 0;
    for (const [n, id] of ids.entries()) await writer.append([testRow(id, n)]);
    await writer.release();
    const parts = `${key.name}.parts`;
    const seen = steps(cacheDir).map((step) => step.replace(/00000\d-1-[0-9a-f]{32}\.arrow/, 'part'));
    const part = [`flush ${parts}/new part`, `rename ${parts}/part`];
    const folder = `flush ${parts}`;
    expect(seen).toEqual([...Array(4).fill(part).flat(), folder, ...part, ...part, folder]);
  });
});

describe('writeStreamAtomic', () => {
  const tried = async (end: 'abort' | 'commit', onRename: () => void) => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a'), 'old');
    disk.onRename = onRename;
    const stream = await writeStreamAtomic(path.join(folder, 'a'));
    await stream.write('new');
    const failure = await stream[end]().then(
      () => null,
      (error) => error.code,
    );
    return [failure, readFileSync(path.join(folder, 'a'), 'utf8'), readdirSync(folder)];
  };

  it('leaves the old file and nothing else when it is given up or cannot get its name', async () => {
    expect(await tried('abort', () => undefined)).toEqual([null, 'old', ['a']]);
    expect(await tried('commit', failing('EXDEV', 1))).toEqual(['write-failed', 'old', ['a']]);
    expect(await tried('commit', () => undefined)).toEqual([null, 'new', ['a']]);
  });
});

describe('writeFilesTogether', () => {
  it('leaves no temporary file when a rename fails between two others', async () => {
    const folder = temporaryFolder();
    disk.onRename = (to) => {
      if (to.endsWith('b')) failing('EXDEV', 1)();
    };
    const names = ['a', 'b', 'c', 'd'];
    const written = writeFilesTogether(
      folder,
      names.map((name) => [name, 'new'] as const),
    );
    await expect(written).rejects.toMatchObject({ code: 'write-failed', file: path.join(folder, 'b') });
    expect(readdirSync(folder)).toEqual(['a']);
  });

  it('leaves the old files and nothing else when the disk is full before the first rename', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'a'), 'old');
    writeFileSync(path.join(folder, 'b'), 'old');
    disk.onFlush = (file) => {
      if (file.includes('.b.')) failing('ENOSPC', 1)();
    };
    const written = writeFilesTogether(folder, [
      ['a', 'new'],
      ['b', 'new'],
    ]);
    await expect(written).rejects.toMatchObject({
      code: 'write-failed',
      message: expect.stringMatching(/disk is full/),
    });
    expect(readdirSync(folder).sort()).toEqual(['a', 'b']);
    expect(['a', 'b'].map((name) => readFileSync(path.join(folder, name), 'utf8'))).toEqual(['old', 'old']);
  });
});

describe('a rename that is refused', () => {
  it.each(['EBUSY', 'EPERM'])('for a moment (%s) is tried again', async (code) => {
    const file = path.join(temporaryFolder(), 'a.txt');
    disk.onRename = failing(code, 3);
    await writeFileAtomic(file, 'one');
    expect(readFileSync(file, 'utf8')).toBe('one');
    expect(disk.asked.filter((step) => step.startsWith('rename'))).toHaveLength(4);
  });

  it('for good fails after a bounded time, and another reason at once', async () => {
    const folder = temporaryFolder();
    for (const [code, tries] of [
      ['EBUSY', 9],
      ['EXDEV', 1],
    ] as const) {
      disk.asked.length = 0;
      disk.onRename = failing(code, 1000);
      await expect(writeFileAtomic(path.join(folder, 'a'), 'one')).rejects.toMatchObject({ code: 'write-failed' });
      expect(disk.asked.filter((step) => step.startsWith('rename'))).toHaveLength(tries);
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a removal that is refused for a moment', () => {
  it('is tried again, of a file and of a folder that is not empty yet', async () => {
    const folder = temporaryFolder();
    const [file, inner] = [path.join(folder, 'a'), path.join(folder, 'b')];
    writeFileSync(file, 'x');
    mkdirSync(inner);
    disk.onRemove = failing('EBUSY', 2);
    await removeFile(file);
    disk.onRemove = failing('ENOTEMPTY', 1);
    await removeFolder(inner);
    expect(readdirSync(folder)).toEqual([]);
    expect(disk.removals).toBe(5);
    disk.onRemove = failing('EACCES', 1);
    await expect(removeFile(file)).rejects.toThrow('EACCES');
  });
});

describe('flushFolder', () => {
  it('is silent where a file system cannot flush folders, and says what a disk could not do', async () => {
    const folder = temporaryFolder();
    for (const code of ['EINVAL', 'ENOTSUP', 'EPERM']) {
      disk.onFlush = failing(code, 1);
      await flushFolder(folder);
    }
    for (const code of ['EIO', 'ENOSPC']) {
      disk.onFlush = failing(code, 1);
      await expect(flushFolder(folder)).rejects.toMatchObject({ code: 'write-failed', file: folder });
    }
  });
});

describe('refuseLinks', () => {
  it('names every link on the way to a file, and lets a folder be one', async () => {
    const root = temporaryFolder();
    mkdirSync(path.join(root, 'victim'));
    mkdirSync(path.join(root, 'run', 'figures'), { recursive: true });
    symlinkSync('../victim', path.join(root, 'run', 'tables'));
    symlinkSync('../victim/none.md', path.join(root, 'run', 'report.md'));
    symlinkSync('run', path.join(root, 'named'));
    expect(readlinkSync(path.join(root, 'named'))).toBe('run');
    await refuseLinks(path.join(root, 'named'), ['figures/a.svg', 'report.html']);
    const names = ['tables/a.csv', 'tables/b.csv', 'figures/a.svg', 'report.md'];
    const error = await refuseLinks(path.join(root, 'run'), names).catch((thrown) => thrown);
    expect(error.faults.map(({ file }: { file: string }) => path.basename(file))).toEqual(['tables', 'report.md']);
    expect([error.code, error.message]).toEqual([
      'bad-input',
      expect.stringMatching(/is a link, and nothing is written/),
    ]);
    expect(await fs.readdir(path.join(root, 'victim'))).toEqual([]);
  });
});
