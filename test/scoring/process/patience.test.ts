import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { cpuTime } from '../../../src/scoring/process/cpu-time.js';
import { patience } from '../../../src/scoring/process/patience.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function started(script: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  return child;
}

/** What ran out within so many milliseconds; null: nothing. */
async function outcome(child: ChildProcess, limit: { silentMs: number; cpuMs?: number }, ms: number) {
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return await new Promise<string | null>((resolve) => {
    const watch = patience(child.pid, resolve);
    watch.set({ what: 'working', ...limit });
    setTimeout(() => {
      watch.clear();
      resolve(null);
    }, ms);
  });
}

const BUSY = 'console.log(1); setTimeout(() => { for (;;); }, 1)';
const IDLE = 'console.log(1); setTimeout(() => {}, 60000)';

describe.runIf(cpuTime(process.pid) !== null)('patience', () => {
  it('leaves a child alone that computes without a word, however long its event loop is blocked', async () => {
    expect(await outcome(started(BUSY), { silentMs: 600 }, 1_400)).toBeNull();
  });

  it('ends a child that neither speaks nor computes, and names the limit', async () => {
    expect(await outcome(started(IDLE), { silentMs: 400 }, 200_000)).toBe(
      'neither a message nor work for 0.4 s while working',
    );
  });

  it('ends a child that has computed more than its step can need', async () => {
    expect(await outcome(started(BUSY), { silentMs: 2_000, cpuMs: 300 }, 200_000)).toBe(
      'no message after 0.3 s of processor time while working',
    );
  });
});

describe('patience where processor time cannot be read', () => {
  it('allows ten times the silence', async () => {
    const began = performance.now();
    const told = await new Promise((resolve) => patience(undefined, resolve).set({ what: 'working', silentMs: 30 }));
    expect(told).toBe('no message for 0.3 s while working');
    expect(performance.now() - began).toBeGreaterThanOrEqual(299);
  });
});
