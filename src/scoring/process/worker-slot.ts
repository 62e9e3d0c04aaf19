import type { ChildProcess } from 'node:child_process';
import type { ToWorker } from '../../engine/protocol/protocol.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { watchEnding } from './how-it-ended.js';
import { spawnWorker } from './spawn-worker.js';

/** One living child process. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  /** Resolves when the child can take messages. */
  readonly ready: Promise<void>;
  /** Resolves with how the child ended, after its last message has been read. */
  readonly gone: Promise<string>;
  /** The last lines that the child wrote to its own standard output and error. */
  lastOutput(): string;
  send(message: ToWorker): void;
}

/** That a child ended by itself, and what it said last. */
export function endText(worker: WorkerProcess, how: string): string {
  const output = worker.lastOutput();
  return `the worker process ended: ${how}${output === '' ? '' : `; its last output: ${output}`}`;
}

/** A place on a device: at most one child process at a time, used for one model after the other. */
export interface WorkerSlot {
  /** The living child; a new one when there is none. */
  take(): WorkerProcess;
  /** Kills the child, if any, and waits until it is gone. */
  kill(): Promise<void>;
  /** Lets the child end by itself (kills it when it does not) and waits until it is gone. */
  end(): Promise<void>;
}

/** A child that was let go may take this long before it is killed. */
const END_MS = 15_000;

/** @param visible the variables that say which cards its children may see */
export function workerSlot(
  backendModule: string,
  gpu: boolean,
  onLine: (line: string) => void,
  visible: Record<string, string> = {},
): WorkerSlot {
  let current: WorkerProcess | undefined;
  const forget = async (worker: WorkerProcess) => {
    await worker.gone;
    if (current === worker) current = undefined;
  };
  return {
    take() {
      if (current === undefined) {
        const worker = startWorker(spawnWorker(backendModule, gpu, visible), onLine);
        void forget(worker);
        current = worker;
      }
      return current;
    },
    async kill() {
      const worker = current;
      worker?.child.kill('SIGKILL');
      if (worker !== undefined) await forget(worker);
    },
    async end() {
      const worker = current;
      if (worker === undefined) return;
      if (worker.child.connected) worker.child.disconnect();
      const timer = setTimeout(() => worker.child.kill('SIGKILL'), END_MS);
      await forget(worker);
      clearTimeout(timer);
    },
  };
}

function startWorker(child: ChildProcess, onLine: (line: string) => void): WorkerProcess {
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      tail = (tail + text).slice(-2000);
      for (const line of text.split('\n')) if (line.trim() !== '') onLine(line.trim());
    });
  }
  const gone = untilGone(child);
  const ready = new Promise<void>((resolve) => {
    // The first message of a child says that it is ready.
    child.once('message', () => resolve());
  });
  return {
    child,
    ready,
    gone,
    lastOutput: () => tail.trim().split('\n').slice(-3).join(' | '),
    send(message) {
      // A child that just died is noticed by `gone`.
      if (child.connected) child.send(message, () => {});
    },
  };
}

/** `exit` can come before the last messages: the channel has its own end. */
async function untilGone(child: ChildProcess): Promise<string> {
  const ending = watchEnding(child);
  const drained = new Promise<void>((resolve) => child.once('disconnect', resolve));
  return await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not start: ${whyUnreadable(error)}`));
    child.once('exit', (code, signal) => {
      void drained.then(() => resolve(ending(code, signal)));
    });
  });
}
