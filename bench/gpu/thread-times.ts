import { readdirSync, readFileSync } from 'node:fs';

/**
 * Starts a clock of the processor time of this process, thread by thread (Linux); the call that is returned says what
 * was spent since: by the main thread and by all others together, and how many pages were touched first.
 */
export function threadTimes(): () => string {
  const [before, faults] = [spent(), process.resourceUsage().minorPageFault];
  return () => {
    const after = spent();
    const [main, others] = [difference(after.main, before.main), difference(after.others, before.others)];
    return (
      `main thread ${said(main)}, other threads ${said(others)}, ` +
      `${process.resourceUsage().minorPageFault - faults} page faults`
    );
  };
}

/** Seconds as user and in the kernel. */
type Spent = readonly [number, number];

/** Threads that ended meanwhile are not counted: the pool's and the library's live as long as the process. */
function spent(): { readonly main: Spent; readonly others: Spent } {
  const each = readdirSync('/proc/self/task').map((thread) => ({ thread, spent: spentBy(thread) }));
  const sum = (threads: typeof each): Spent => [
    threads.reduce((total, { spent: [user] }) => total + user, 0),
    threads.reduce((total, { spent: [, kernel] }) => total + kernel, 0),
  ];
  const isMain = ({ thread }: { readonly thread: string }) => thread === String(process.pid);
  return { main: sum(each.filter(isMain)), others: sum(each.filter((one) => !isMain(one))) };
}

/** Fields 14 and 15 of the thread's `stat`, in hundredths of a second. */
function spentBy(thread: string): Spent {
  const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [Number(fields[11]) / 100, Number(fields[12]) / 100];
}

function difference([a, b]: Spent, [c, d]: Spent): Spent {
  return [a - c, b - d];
}

function said([user, kernel]: Spent): string {
  return `${user.toFixed(2)} s and ${kernel.toFixed(2)} in the kernel`;
}
