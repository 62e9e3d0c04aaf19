import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readAhead, readFile } from '../../../src/scoring/memory/read-ahead.js';

const folder = mkdtempSync(join(tmpdir(), 'read-ahead-'));
afterAll(() => rmSync(folder, { recursive: true }));

const order = ['a', 'b', 'c'].map((id) => ({ id, path: `/models/${id}.gguf`, bytes: 1000 }));

async function filesRead(free: number, act: (ahead: ReturnType<typeof readAhead>) => void): Promise<string[]> {
  const read: string[] = [];
  const ahead = readAhead(
    order,
    () => free,
    async (path) => read.push(path),
  );
  act(ahead);
  await ahead.stop();
  return read;
}

describe('readAhead', () => {
  it('reads the next file once, when three quarters of the rows are scored', async () => {
    const early = await filesRead(1e6, (ahead) => {
      ahead.started('a');
      ahead.progressed(74, 100);
    });
    expect(early).toEqual([]);
    const late = await filesRead(1e6, (ahead) => {
      ahead.started('a');
      ahead.started('b');
      ahead.progressed(75, 100);
      ahead.progressed(90, 100);
    });
    expect(late).toEqual(['/models/c.gguf']);
  });

  it('leaves a file alone that does not fit the free memory with a quarter to spare', async () => {
    const act = (ahead: ReturnType<typeof readAhead>) => {
      ahead.started('a');
      ahead.progressed(100, 100);
    };
    expect(await filesRead(1249, act)).toEqual([]);
    expect(await filesRead(1250, act)).toEqual(['/models/b.gguf']);
  });

  it('does not mind a file that cannot be read', async () => {
    const ahead = readAhead([{ id: 'x', path: join(folder, 'absent'), bytes: 0 }], () => 1);
    ahead.progressed(1, 1);
    await expect(ahead.stop()).resolves.toBeUndefined();
  });
});

describe('readFile', () => {
  it('reads every byte, and none after a stop', async () => {
    const path = join(folder, 'file');
    writeFileSync(path, Buffer.alloc(9 * 2 ** 20));
    expect(await readFile(path)).toBe(9 * 2 ** 20);
    expect(await readFile(path, AbortSignal.abort())).toBe(0);
  });
});
