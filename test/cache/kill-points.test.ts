import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openEntry } from '../../src/cache/open-entry.js';
import { readEntry } from '../../src/cache/read-entry.js';
import type { ModelRow } from '../../src/contract/scored-row.js';
import { temporaryFolder } from '../files/temporary-folder.js';
import { snapshotOf, testKey } from './cache-fixture.js';
import { testIds, testReply, testRow } from './test-ingredients.js';

/** Called before and after every operation that changes a file, and in the middle of every write. */
const watcher = vi.hoisted(() => ({ onStep: null as null | ((step: string, path: string) => void) }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const step = (name: string, path: unknown) => watcher.onStep?.(name, String(path));
  // Done at once, so that no file changes while a step copies the folder.
  const around =
    <A extends unknown[], R>(name: string, work: (...args: A) => R) =>
    async (...args: A): Promise<R> => {
      step(`before ${name}`, args.at(name === 'rename' ? 1 : 0));
      const result = work(...args);
      step(`after ${name}`, args.at(name === 'rename' ? 1 : 0));
      return result;
    };
  const open: typeof real.open = async (path, ...rest) => {
    const handle = await real.open(path, ...rest);
    if (rest[0] === 'wx') {
      handle.writeFile = async (data) => {
        const bytes = Buffer.from(data as Uint8Array);
        step('before writing', path);
        const half = writeSync(handle.fd, bytes, 0, bytes.length >> 1);
        step('half-way through writing', path);
        writeSync(handle.fd, bytes, half);
        step('after writing', path);
      };
    }
    return handle;
  };
  const changed = {
    open,
    rename: around('rename', renameSync),
    rm: around('rm', rmSync),
    mkdir: around('mkdir', mkdirSync),
  };
  return { ...real, ...changed, default: { ...real, ...changed } };
});

const BATCH = 4;
const ids = testIds(12);
const key = testKey();
const CREATED = '2026-01-01T00:00:00.000Z';

/** Scores what is not on disk; `onBatch` hears of every batch before it is written. Returns how many rows it scored. */
async function scoreRest(cacheDir: string, rows: readonly ModelRow[], onBatch = () => {}): Promise<number> {
  const opened = await openEntry(cacheDir, key, { ids });
  if (opened.kind === 'complete') return 0;
  const { writer } = opened;
  const left = rows.filter((row) => !writer.completedIds().has(row.id));
  for (let start = 0; start < left.length; start += BATCH) {
    onBatch();
    await writer.append(left.slice(start, start + BATCH));
  }
  await writer.complete({ device: 'stub' }, CREATED);
  await writer.release();
  return left.length;
}

interface KillPoint {
  readonly step: string;
  /** Rows that had been evaluated by then. */
  readonly evaluated: number;
  readonly folder: string;
}

/** One run with a copy of the cache at every step; steps that leave the same files are listed once. */
async function allKillPoints(rows: readonly ModelRow[]): Promise<KillPoint[]> {
  const cacheDir = temporaryFolder();
  const points: KillPoint[] = [];
  const seen = new Set<string>();
  let evaluated = 0;
  watcher.onStep = (step, path) => {
    if (!path.startsWith(cacheDir)) return;
    const state = JSON.stringify([evaluated, contentOf(cacheDir)]);
    if (seen.has(state)) return;
    seen.add(state);
    points.push({
      step: `${step} ${basename(path).replace(/\d+-[0-9a-f]{12}\.tmp/, 'tmp')}`,
      evaluated,
      folder: snapshotOf(cacheDir),
    });
  };
  await scoreRest(cacheDir, rows, () => {
    evaluated += BATCH;
  });
  watcher.onStep = null;
  return points;
}

/** Names and bytes of all files but locks, whose random names aside. */
function contentOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return names
    .filter(({ name }) => !name.endsWith('.owner'))
    .map(({ name, parentPath }) => {
      const bytes = readFileSync(join(parentPath, name));
      return `${name.replace(/\d+-[0-9a-f]{12}\.tmp/, 'tmp')} ${bytes.toString('base64')}`;
    })
    .sort();
}

describe('a kill before, after or in the middle of any change of a file', () => {
  it.each([
    ['scores', testRow],
    ['replies', testReply],
  ])(
    'of %s loses at most the batch in hand, and the next run ends with the same bytes and no stale-files',
    async (_, make) => {
      const rows = ids.map(make);
      const whole = temporaryFolder();
      await scoreRest(whole, rows);
      const expected = ['arrow', 'json'].map((ending) => readFileSync(join(whole, `${key.name}.${ending}`)));
      const points = await allKillPoints(rows);
      const steps = points.map(({ step }) => step);
      for (const kind of [
        /half.*-4-.*arrow/,
        /rename.*-4-.*arrow/,
        /half.*arrow/,
        /rename.*\.arrow/,
        /half.*json/,
        /rename.*json/,
        /rm .*parts/,
      ])
        expect(steps).toContainEqual(expect.stringMatching(kind));
      for (const { step, evaluated, folder } of points) {
        const state = await readEntry(folder, key);
        const scored = await scoreRest(folder, rows);
        const again = scored - (ids.length - evaluated);
        const files = ['arrow', 'json'].map((ending) => readFileSync(join(folder, `${key.name}.${ending}`)));
        expect({
          step,
          state: state.kind === 'damaged' ? state.reason : 'usable',
          atMostOneBatch: again >= 0 && again <= BATCH,
          sameBytes: files.every((bytes, n) => bytes.equals(expected[n]!)),
          left: readdirSync(folder).length,
        }).toEqual({ step, state: 'usable', atMostOneBatch: true, sameBytes: true, left: 2 });
      }
      expect(points.length).toBeGreaterThan(25);
    },
  );
});
