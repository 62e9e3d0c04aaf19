import { takeEarly } from './early-worker.js';
import { spawnWorker } from './spawn-worker.js';
import { type WorkerProcess, workerProcess } from './worker-process.js';

/** A place on a device: at most one child process at a time, used for one model after the other. */
export interface WorkerSlot {
  /** The living child; when there is none the one that was started early, or a new one. */
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
  visible?: Record<string, string>,
): WorkerSlot {
  // On a card a child has an environment of its own.
  const early = () => (gpu || visible !== undefined ? undefined : takeEarly(backendModule, onLine));
  let current: WorkerProcess | undefined;
  const forget = async (worker: WorkerProcess) => {
    await worker.gone;
    if (current === worker) current = undefined;
  };
  return {
    take() {
      if (current === undefined) {
        const worker = early() ?? workerProcess(spawnWorker(backendModule, gpu, visible), onLine);
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
