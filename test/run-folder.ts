import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';

const PREFIX = 'supportcal-tests-';
const VARIABLES = ['TMPDIR', 'TEMP', 'TMP'];

/** A file system in memory, where a machine has one; its tests make tens of thousands of small files. */
const MEMORY = '/dev/shm';
/** A run takes 0.2 GiB at most. */
const ROOM_BYTES = 2 ** 30;

/**
 * Gives a test run a temporary folder of its own: tests, and the processes that they start, find it as TMPDIR. It is
 * removed at the end of the run, and by a process that outlives a run which was interrupted or killed. Where there is
 * room it lies in memory, which takes a third off the time of tests of files; a TMPDIR that is set is obeyed.
 */
export default function runFolder(project: TestProject): (() => void) | undefined {
  // Vitest calls this for every project of the run.
  if (path.basename(tmpdir()).startsWith(PREFIX)) return undefined;
  const folder = mkdtempSync(path.join(hasRoomInMemory() ? MEMORY : tmpdir(), PREFIX));
  removeWhenDead([folder, ...project.vitest.projects.map(({ tmpDir }) => tmpDir)]);
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  for (const name of VARIABLES) process.env[name] = folder;
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
}

function hasRoomInMemory(): boolean {
  if (VARIABLES.some((name) => process.env[name] !== undefined)) return false;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    // Containers often forbid to run what lies there, and tests put stand-ins of programs into their folders.
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const mayRun = mounts.some((line) => line.split(' ')[1] === MEMORY && !/\bnoexec\b/.test(line));
    return mayRun && bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}

function removeWhenDead(folders: readonly string[]): void {
  const script = path.join(import.meta.dirname, 'remove-at-end.mjs');
  const child = spawn(process.execPath, [script, ...folders], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  child.unref();
  // An open pipe would keep this process from ending; its type does not say that it is one.
  (child.stdin as unknown as { unref(): void }).unref();
}
