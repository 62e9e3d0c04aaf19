import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { countMemoryKills, howItEnded, watchEnding } from '../../../src/scoring/process/how-it-ended.js';
import { temporaryFolder } from '../../files/temporary-folder.js';

const KILLED = { code: null, signal: 'SIGKILL', ownKill: false, memoryKills: false } as const;

describe('howItEnded', () => {
  it('names the memory killer of the kernel', () => {
    expect(howItEnded({ ...KILLED, memoryKills: true })).toMatch(
      /^signal SIGKILL from the kernel's memory killer: .*lower/,
    );
    expect(howItEnded(KILLED)).toMatch(/^signal SIGKILL from outside, as the kernel's memory killer/);
    expect(howItEnded({ ...KILLED, ownKill: true, memoryKills: true })).toBe('signal SIGKILL');
    expect(howItEnded({ ...KILLED, signal: 'SIGABRT', memoryKills: true })).toBe('signal SIGABRT');
    expect(howItEnded({ ...KILLED, signal: null, code: 3 })).toBe('exit code 3');
  });

  it('tells a kill of ours from one of somebody else', async () => {
    const endOf = async (kill: (child: ReturnType<typeof spawn>) => void) => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      const ending = watchEnding(child);
      await once(child, 'spawn');
      kill(child);
      const [code, signal] = await once(child, 'exit');
      return ending(code, signal);
    };
    expect(await endOf((child) => child.kill('SIGKILL'))).toBe('signal SIGKILL');
    expect(await endOf((child) => process.kill(child.pid!, 'SIGKILL'))).toMatch(/kernel's memory killer/);
  });
});

describe('countMemoryKills', () => {
  it('adds up what the kernel has counted, and nothing for a file that is not there', () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'memory.events');
    writeFileSync(file, 'low 0\noom 5\noom_kill 3\noom_group_kill 0\n');
    expect(countMemoryKills([file, file, path.join(folder, 'none')])).toBe(6);
  });
});
