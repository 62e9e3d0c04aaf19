import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockEntry, tryLockEntry } from '../../../src/cache/lock/entry-lock.js';
import { readOwner, writeOwner } from '../../../src/cache/lock/lock-owner.js';
import { temporaryFolder } from '../../files/temporary-folder.js';
import { fastClock } from '../cache-fixture.js';

const LONG_AGO = new Date(Date.now() - 31_000);

/** A lock that another run left, with the note of who made it as `change` says. */
async function leftLock(change: (owner: Record<string, unknown>) => unknown) {
  const target = path.join(temporaryFolder(), 'entry');
  const lock = (await tryLockEntry(target))!;
  onTestFinished(() => lock.release());
  const owner = JSON.parse(readFileSync(`${target}.owner`, 'utf8'));
  writeFileSync(`${target}.owner`, JSON.stringify(change({ ...owner, token: 'of the other run' })));
  const grow = () => utimesSync(`${target}.lock`, LONG_AGO, LONG_AGO);
  return { target, grow };
}

const taken = async (target: string) => {
  const lock = await tryLockEntry(target, fastClock());
  await lock?.release();
  return lock !== null;
};

describe('the lock of an entry', () => {
  it('is one process at a time, and free again after its release', async () => {
    const target = path.join(temporaryFolder(), 'entry');
    const lock = (await tryLockEntry(target))!;
    expect(await taken(target)).toBe(false);
    await lock.release();
    expect(await taken(target)).toBe(true);
    expect(readdirSync(path.dirname(target))).toEqual([]);
  });

  it.each<[string, (owner: Record<string, unknown>) => unknown]>([
    ['of a process that has ended', (owner) => ({ ...owner, pid: 2 ** 22 + 1 })],
    ['of a process whose number another process has now', (owner) => ({ ...owner, started: '1' })],
  ])('%s is taken over at once', async (_whose, change) => {
    const { target } = await leftLock(change);
    expect(await taken(target)).toBe(true);
  });

  it.each<[string, (owner: Record<string, unknown>) => unknown]>([
    ['of another host', (owner) => ({ ...owner, host: 'elsewhere', pid: 2 ** 22 + 1 })],
    ['of another container on this host', (owner) => ({ ...owner, processes: 'pid:[1]', pid: 2 ** 22 + 1 })],
    [
      'of another machine with the same name and numbers',
      (owner) => ({ ...owner, processes: `another boot ${String(owner.processes).split(' ')[1]}`, pid: 2 ** 22 + 1 }),
    ],
    ['of a live process', (owner) => owner],
    ['of nobody knows whom', () => 'no note'],
  ])('%s is waited for, and taken over after half a minute without a sign of life', async (_whose, change) => {
    const { target, grow } = await leftLock(change);
    expect(await taken(target)).toBe(false);
    grow();
    expect(await taken(target)).toBe(true);
  });

  it.runIf(process.platform === 'linux')(
    'says in its note which boot and which container its process is of',
    async () => {
      const target = path.join(temporaryFolder(), 'entry');
      const lock = (await tryLockEntry(target))!;
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      expect(await readOwner(target)).toMatchObject({ processes: `${boot} ${readlinkSync('/proc/self/ns/pid')}` });
      await lock.release();
    },
  );

  it('that gave a sign of life 25 seconds ago is not taken over', async () => {
    const { target } = await leftLock((owner) => ({ ...owner, host: 'elsewhere' }));
    const date = new Date(Date.now() - 25_000);
    utimesSync(`${target}.lock`, date, date);
    expect(await taken(target)).toBe(false);
  });

  it('made after the note that lies beside it is not judged by that note', async () => {
    const { target } = await leftLock((owner) => ({ ...owner, pid: 2 ** 22 + 1, lock: 'an earlier one' }));
    expect(await taken(target)).toBe(false);
  });

  it('is taken over by one of eight that try at once', async () => {
    const { target, grow } = await leftLock((owner) => ({ ...owner, host: 'elsewhere' }));
    grow();
    const locks = await Promise.all(Array.from({ length: 8 }, () => tryLockEntry(target, fastClock())));
    expect(locks.filter((lock) => lock !== null).length).toBeLessThanOrEqual(1);
    await Promise.all(locks.map((lock) => lock?.release()));
    expect(await taken(target)).toBe(true);
  });

  it('is taken over although a run was killed as it took it over', async () => {
    const { target } = await leftLock((owner) => ({ ...owner, pid: 2 ** 22 + 1 }));
    mkdirSync(`${target}.takeover.lock`);
    expect(await taken(target)).toBe(false);
    utimesSync(`${target}.takeover.lock`, LONG_AGO, LONG_AGO);
    expect(await taken(target)).toBe(true);
  });

  it('is free again after its release although its note was removed by hand', async () => {
    const target = path.join(temporaryFolder(), 'entry');
    const lock = (await tryLockEntry(target))!;
    rmSync(`${target}.owner`);
    await expect(lock.assertHeld()).rejects.toMatchObject({ code: 'cache-busy' });
    await lock.release();
    expect(readdirSync(path.dirname(target))).toEqual([]);
  });

  it('gets no note of a run that made an earlier one and was stopped before it wrote its note', async () => {
    const target = path.join(temporaryFolder(), 'entry');
    const lock = (await tryLockEntry(target))!;
    expect(await writeOwner(target, 'an earlier one')).toBeNull();
    await lock.assertHeld();
    await lock.release();
    expect(await writeOwner(target, 'one that is gone')).toBeNull();
    expect(readdirSync(path.dirname(target))).toEqual([]);
  });

  it('that another run has made since stays, whatever becomes of the one before it', async () => {
    const target = path.join(temporaryFolder(), 'entry');
    const lock = (await tryLockEntry(target))!;
    rmdirSync(`${target}.lock`);
    // Kept by this process, or the file system could give its number to the next folder.
    mkdirSync(`${target}.between`);
    mkdirSync(`${target}.lock`);
    await lock.release();
    expect(readdirSync(path.dirname(target))).toEqual(['entry.between', 'entry.lock']);
  });

  it('that was lost to another run is noticed before the next write, and the release leaves it to that run', async () => {
    const target = path.join(temporaryFolder(), 'entry');
    const lock = await lockEntry(target);
    utimesSync(`${target}.lock`, LONG_AGO, LONG_AGO);
    const other = (await tryLockEntry(target, fastClock()))!;
    await expect(lock.assertHeld()).rejects.toMatchObject({ code: 'cache-busy' });
    await lock.release();
    await other.assertHeld();
    await other.release();
  });

  it.each([
    ['hours ahead of its date, as a clock set forward or a machine that slept makes it', -7_200_000],
    ['behind its date, as a clock set back makes it', 7_200_000],
  ])('of a live process is not taken over although the clock is %s', async (_how, shift) => {
    const { target } = await leftLock((owner) => ({ ...owner, host: 'far away' }));
    // The holder gives a sign of life every five seconds, with a date of its own clock.
    let milliseconds = 0;
    const now = () => {
      milliseconds += 1000;
      const date = new Date(Date.now() + shift + milliseconds);
      if (milliseconds % 5000 === 0) utimesSync(`${target}.lock`, date, date);
      return milliseconds;
    };
    expect(await tryLockEntry(target, { now, pollMs: 1 })).toBeNull();
    const stop = new AbortController();
    const waiting = lockEntry(target, { signal: stop.signal, pollMs: 1, now });
    while (milliseconds < 120_000) await new Promise(setImmediate);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
  });

  it('of a run on another host that was watched once is taken over at once with the next entry, unless it is young', async () => {
    const pid = 2 ** 22 + 7;
    const [first, second, young] = await Promise.all(
      [1, 2, 3].map(() => leftLock((owner) => ({ ...owner, host: 'elsewhere', pid }))),
    );
    first!.grow();
    second!.grow();
    expect(await taken(first!.target)).toBe(true);
    const still = { now: () => 0, pollMs: 1 };
    const lock = await tryLockEntry(second!.target, still);
    expect(lock).not.toBeNull();
    await lock!.release();
    expect(await tryLockEntry(young!.target, still)).toBeNull();
  });

  it('of a run that is gone is taken over also where its date lies in the future', async () => {
    const { target } = await leftLock((owner) => ({ ...owner, host: 'elsewhere' }));
    const future = new Date(Date.now() + 7_200_000);
    utimesSync(`${target}.lock`, future, future);
    expect(await taken(target)).toBe(false);
    const lock = await lockEntry(target, fastClock());
    await lock.assertHeld();
    await lock.release();
  });
});
