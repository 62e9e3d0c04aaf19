import { readFileSync } from 'node:fs';

/** CPU seconds, user and system, that this process spent on `work`. */
export async function cpuSeconds(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** CPU seconds, user and system, of this process, its children that have ended, and the living ones named (Linux). */
export function cpuSecondsOfAll(livingChildren: readonly number[]): number {
  const own = ticks('self', [11, 12, 13, 14]);
  return (own + livingChildren.reduce((sum, pid) => sum + ticks(pid, [11, 12]), 0)) / 100;
}

/** CPU seconds, user and system, of another process that lives (Linux). */
export function cpuSecondsOf(pid: number): number {
  return ticks(pid, [11, 12]) / 100;
}

/** Fields of /proc/PID/stat after the command's name, in hundredths of a second. */
function ticks(pid: number | 'self', fields: readonly number[]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const values = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.reduce((sum, field) => sum + Number(values[field]), 0);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function write(line: string): void {
  process.stdout.write(`${line}\n`);
}
