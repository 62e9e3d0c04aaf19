import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

/** A host of bench/two-hosts.ts: a Linux kernel that is a process, driven through a shell on its console. */
export interface Guest {
  readonly name: string;
  /** Runs a command of the shell and waits for its end; returns what it printed. Fails when the command does. */
  run(command: string): Promise<string>;
  /** Starts a command beside others; its lines come as they are printed. */
  start(name: string, command: string, onLine: (line: string) => void): void;
  /** The whole host vanishes, as with a power cut. */
  cut(): Promise<void>;
  /** The whole host stands still, and goes on. */
  freeze(): void;
  thaw(): void;
}

export interface GuestSettings {
  /** Folder that `make-guest.sh` filled. */
  readonly work: string;
  readonly checkout: string;
  readonly name: string;
  readonly role: 'server' | 'client';
  /** Last number of its address in 10.7.0.0/24. */
  readonly address: number;
  /** Seconds by which its clock is wrong. */
  readonly clock?: number;
  /** Disk of the server, which is exported. */
  readonly disk?: string;
  /** Port of the multicast group that is the network of all guests. */
  readonly port: number;
}

const BOOT_MS = 240_000;

export async function startGuest(settings: GuestSettings): Promise<Guest> {
  const { work, name } = settings;
  const program = path.join(work, 'user-mode-linux/usr/bin/linux.uml');
  const child = spawn(program, guestWords(settings), { stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  const heard = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr])
    eachLine(stream, (line) => heard.forEach((hear) => void hear(line)));
  if (process.env.SHOW_GUESTS) heard.add((line) => void process.stderr.write(`${name}: ${line}\n`));
  const waitFor = (test: (line: string) => boolean) =>
    new Promise<void>((resolve) => {
      const hear = (line: string) => {
        if (!test(line)) return;
        heard.delete(hear);
        resolve();
      };
      heard.add(hear);
    });
  await within(
    BOOT_MS,
    `${name} boots`,
    waitFor((line) => line.includes('guest ready')),
  );
  let count = 0;
  return {
    name,
    async run(command) {
      const mark = `end-${++count}-of-it`;
      const lines: string[] = [];
      let code = '';
      const ended = waitFor((line) => {
        const at = line.indexOf(`${mark}=`);
        if (at < 0) lines.push(line);
        else code = line.slice(at + mark.length + 1).trim();
        return at >= 0;
      });
      child.stdin.write(
        `{ ${command}\n} 2>&1 < /dev/null; code=$?; echo; echo "${mark.slice(0, 4)}""${mark.slice(4)}=$code"\n`,
      );
      await ended;
      const text = lines.join('\n').replace(/^# /, '').trim();
      if (code !== '0') throw new Error(`${name}: ${command}: ${code}: ${text}`);
      return text;
    },
    start(job, command, onLine) {
      heard.add((line) => {
        const at = line.indexOf(`${job}: `);
        if (at >= 0) onLine(line.slice(at + job.length + 2));
      });
      child.stdin.write(`{ ${command}; } 2>&1 < /dev/null | sed -u 's/^/${job}: /' &\n`);
    },
    cut: () => cut(child),
    // The processes that run its programs wait for the kernel at their next call.
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  };
}

function guestWords(settings: GuestSettings): string[] {
  const { work, checkout, name, role, address, clock = 0, disk, port } = settings;
  const mac = `52:54:00:07:00:${address.toString(16).padStart(2, '0')}`;
  return [
    ...['mem=900M', 'root=/dev/root', 'rootfstype=hostfs', 'rootflags=/', 'ro', 'quiet', 'con0=fd:0,fd:1', 'con=null'],
    ...[`init=${path.join(checkout, 'bench/two-hosts/guest.sh')}`, `eth0=mcast,${mac},230.7.0.1,${port},1`],
    ...(disk === undefined ? [] : [`ubd0=${disk}`]),
    ...[`work=${work}`, `checkout=${checkout}`, `name=${name}`, `role=${role}`, `address=10.7.0.${address}`],
    `clock=${clock}`,
  ];
}

function eachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.on('data', (data) => {
    const lines = (rest + String(data)).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

async function cut(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  // The kernel and the processes that run its programs are one group.
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await gone;
}

async function within<T>(ms: number, what: string, step: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([step, late]);
  } finally {
    clearTimeout(timer);
  }
}
