import { spawnWorker } from './spawn-worker.js';
import { type WorkerProcess, workerProcess } from './worker-process.js';

/** A child without a model, and who hears the lines that it writes. */
interface EarlyWorker {
  readonly worker: WorkerProcess;
  readonly backendModule: string;
  hear(onLine: (line: string) => void): void;
}

/** At most one in this process. */
let waiting: EarlyWorker | undefined;

/**
 * Starts a child that computes on the CPU, and the native library in it, while something else keeps the first model
 * waiting. The first slot that wants such a child takes it (`takeEarly`).
 *
 * @param threads that its models will probably have; with others the library starts once more, in some milliseconds
 * @returns ends the child where nobody has taken it
 */
export function startEarly(backendModule: string, threads: number): () => void {
  const lines: string[] = [];
  let onLine = (line: string): void => void lines.push(line);
  const worker = workerProcess(spawnWorker(backendModule, false), (line) => onLine(line));
  const early: EarlyWorker = {
    worker,
    backendModule,
    hear(listener) {
      onLine = listener;
      for (const line of lines) listener(line);
    },
  };
  const forget = () => {
    if (waiting === early) waiting = undefined;
  };
  waiting = early;
  void worker.gone.then(forget);
  void worker.ready.then(() => worker.send({ kind: 'prepare', device: 'cpu', threads }));
  return () => {
    if (waiting === early) worker.child.kill('SIGKILL');
    forget();
  };
}

/** The child that was started early, if it is one for this backend; it is the caller's from then on. */
export function takeEarly(backendModule: string, onLine: (line: string) => void): WorkerProcess | undefined {
  if (waiting?.backendModule !== backendModule || !waiting.worker.child.connected) return undefined;
  const { worker, hear } = waiting;
  waiting = undefined;
  hear(onLine);
  return worker;
}
