import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { flushQueue } from '../../src/cache/flush-queue.js';
import { temporaryFolder } from '../files/temporary-folder.js';

describe('flushQueue', () => {
  it('lets four parts wait for the disk; the next waits until they are flushed', async () => {
    const queue = flushQueue(temporaryFolder());
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    for (let n = 0; n < 4; n++) {
      await queue.room();
      queue.add(() => gate);
    }
    let free = false;
    const room = queue.room().then(() => {
      free = true;
    });
    await setImmediate();
    expect(free).toBe(false);
    open();
    await room;
    await queue.done();
  });

  it('flushes one part after the other', async () => {
    const queue = flushQueue(temporaryFolder());
    const seen: string[] = [];
    for (const name of ['a', 'b'])
      queue.add(async () => {
        seen.push(`begin ${name}`);
        await setImmediate();
        seen.push(`end ${name}`);
      });
    await queue.done();
    expect(seen).toEqual(['begin a', 'end a', 'begin b', 'end b']);
  });

  it('tells whoever waits next of a flush that failed, and has no unhandled failure before', async () => {
    const queue = flushQueue(temporaryFolder());
    for (let n = 0; n < 4; n++) queue.add(() => Promise.reject(new Error('the disk fails')));
    await setImmediate();
    await expect(queue.room()).rejects.toThrow('the disk fails');
    await expect(queue.done()).rejects.toThrow('the disk fails');
  });
});
