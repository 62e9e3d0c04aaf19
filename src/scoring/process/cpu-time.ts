import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in ticks of a hundredth of a second for every program. */
const TICK_MS = 10;

/** Milliseconds of processor time that a living process has taken, all threads together; null: nobody can tell here. */
export function cpuTime(pid: number | undefined): number | null {
  if (pid === undefined) return null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * TICK_MS : null;
  } catch {
    return null;
  }
}

/** Processor time of all living children of this process together; null: there is none, or nobody can tell here. */
export function cpuTimeOfChildren(): number | null {
  try {
    const pids = readdirSync('/proc/self/task').flatMap((thread) =>
      readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return pids.length === 0 ? null : pids.reduce((sum, pid) => sum + (cpuTime(pid) ?? 0), 0);
  } catch {
    return null;
  }
}
