import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Where Linux counts the processes that its memory killer ended: of this container, of the whole machine. */
const COUNTERS = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control', '/proc/vmstat'];

/** How a child process ended, for a message. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** This process sent the signal itself. */
  readonly ownKill: boolean;
  /** Whether the kernel's memory killer ended any process meanwhile. */
  readonly memoryKills: boolean;
}

/** Begins to watch a child; the function that comes back says how it ended. */
export function watchEnding(
  child: Pick<ChildProcess, 'killed'>,
): (code: number | null, signal: NodeJS.Signals | null) => string {
  const before = countMemoryKills();
  return (code, signal) =>
    howItEnded({ code, signal, ownKill: child.killed, memoryKills: countMemoryKills() > before });
}

/**
 * "exit code 3" or "signal SIGKILL"; a SIGKILL that nobody here sent is the work of the kernel's memory killer as a
 * rule, which leaves no other trace in a process.
 */
export function howItEnded({ code, signal, ownKill, memoryKills }: Ending): string {
  if (signal === null) return `exit code ${code}`;
  if (signal !== 'SIGKILL' || ownKill) return `signal ${signal}`;
  return memoryKills
    ? "signal SIGKILL from the kernel's memory killer: the machine (or its container) ran out of memory; use a smaller " +
        'file, or set scoring.sequences lower in models.yaml'
    : "signal SIGKILL from outside, as the kernel's memory killer sends it when memory runs out (see `dmesg`)";
}

/** All counters together; what cannot be read counts nothing. */
export function countMemoryKills(files: readonly string[] = COUNTERS): number {
  return files.reduce((sum, file) => sum + readCount(file), 0);
}

function readCount(file: string): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
