import { readdirSync, readFileSync } from 'node:fs';

/**
 * Processes that this one started and that hold a model of the given backend module; the kernel's own list, as an
 * outsider would find them.
 */
export function workerProcesses(module: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const [, script = ''] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(
          /(?=\/(?:inspect-)?worker\.[jt]s\0)/,
        );
        return parent === process.pid && script.includes(module);
      } catch {
        return false;
      }
    });
}
