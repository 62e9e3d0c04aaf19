import type { ChildProcess } from 'node:child_process';
import type { ToWorker } from '../../engine/protocol/protocol.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { watchEnding } from './how-it-ended.js';

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

/** @param onLine a line that the child wrote to its own standard output or error */
export function workerProcess(child: ChildProcess, onLine: (line: string) => void): WorkerProcess {
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
