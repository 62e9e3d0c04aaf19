import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** How often the cards and the children are looked at. */
const MILLISECONDS = 200;
/** A card that is used less is idle, or about to be. */
const BUSY_PERCENT = 50;

/** Seconds since the start and percent of that moment. */
interface Look {
  readonly at: number;
  readonly percent: number;
}

/**
 * Looks at the cards (`nvidia-smi`) and at the children of this process (Linux) until the call that is returned, which
 * says of each card when it was first and last at work and how much of the time between it was idle, and of each child
 * how long it lived and what processor time it took.
 */
export function watchCards(): () => string {
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  const cards = new Map<string, Look[]>();
  const children = new Map<string, { readonly from: number; until: number; spent: string }>();
  const lookers = [spawnLooker(), setInterval(() => lookAtChildren(children, seconds()), MILLISECONDS)] as const;
  const [{ stdout }] = lookers;
  stdout?.on('data', (text: Buffer) => {
    for (const line of text.toString().trim().split('\n')) {
      const [card = '', percent = ''] = line.split(', ');
      cards.set(card, [...(cards.get(card) ?? []), { at: seconds(), percent: Number(percent) }]);
    }
  });
  return () => {
    lookers[0].kill();
    clearInterval(lookers[1]);
    const ofCards = [...cards].map(([card, looks]) => `  card ${card}: ${saidOf(looks)}`);
    const ofChildren = [...children].map(
      ([pid, { from, until, spent }]) => `  child ${pid}: ${from.toFixed(1)} to ${until.toFixed(1)} s, ${spent}`,
    );
    return [...ofCards, ...ofChildren].join('\n');
  };
}

function spawnLooker(): ChildProcess {
  const query = ['--query-gpu=index,utilization.gpu', '--format=csv,noheader,nounits', '-lms', String(MILLISECONDS)];
  const looker = spawn('nvidia-smi', query, { stdio: ['ignore', 'pipe', 'ignore'] });
  return looker.on('error', () => undefined);
}

function saidOf(looks: readonly Look[]): string {
  const busy = looks.filter(({ percent }) => percent >= BUSY_PERCENT);
  const [first, last] = [busy[0], busy.at(-1)];
  if (first === undefined || last === undefined) return 'never at work';
  const between = looks.filter(({ at }) => at >= first.at && at <= last.at);
  const idle = between.filter(({ percent }) => percent < BUSY_PERCENT).length / between.length;
  const mean = between.reduce((total, { percent }) => total + percent, 0) / between.length;
  const when = `at work from ${first.at.toFixed(1)} to ${last.at.toFixed(1)} s`;
  return `${when}, ${mean.toFixed(0)} % of it on average, idle in ${(100 * idle).toFixed(0)} % of ${between.length} looks`;
}

function lookAtChildren(children: Map<string, { from: number; until: number; spent: string }>, at: number): void {
  for (const pid of childrenOf(process.pid)) {
    try {
      const [main, all] = [spentBy(`/proc/${pid}/task/${pid}/stat`), spentBy(`/proc/${pid}/stat`)];
      const spent = `main thread ${main.toFixed(1)} s, other threads ${(all - main).toFixed(1)} s`;
      children.set(pid, { from: children.get(pid)?.from ?? at, until: at, spent });
    } catch {
      // It ended meanwhile.
    }
  }
}

function childrenOf(pid: number): string[] {
  const lists = readdirSync(`/proc/${pid}/task`).map((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
    } catch {
      return '';
    }
  });
  return lists.join(' ').split(' ').filter(Boolean);
}

/** User and kernel time, fields 14 and 15 of a `stat`, in hundredths of a second. */
function spentBy(file: string): number {
  const stat = readFileSync(file, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
