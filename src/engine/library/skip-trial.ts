import childProcess, { type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import type { Device } from '../../contract/device.js';

/** The release whose trial was read: what is asked of the process that tries, and what it answers. */
const KNOWN = /^3\.22\./;
/** Devices whose library this process has started, so that it is not tried again for another number of threads. */
const tried = new Set<Device>();
/** Lists the devices that a child of the same parent has loaded a model on. */
export const WORKED_VARIABLE = 'SUPPORTCAL_DEVICES_THAT_WORKED';

/**
 * Starts the library without a trial where none is needed. Before it loads its binary the library loads it in another
 * process, since a binary that does not fit the machine ends the process that loads it: half a second of processor time
 * for each child. Where an earlier child of the same parent has loaded a model on the device, the answer is known, and
 * is given in place of that process. Of another release the trial is left as it is.
 */
export async function skipTrial<T>(release: string, device: Device, start: () => Promise<T>): Promise<T> {
  const worked = (process.env[WORKED_VARIABLE] ?? '').split(',');
  if (!KNOWN.test(release) || !(worked.includes(device) || tried.has(device))) {
    const started = await start();
    tried.add(device);
    return started;
  }
  const { fork } = childProcess;
  const instead = (module: string, ...rest: []) =>
    /testBindingBinary\.js$/.test(module) ? trialThatPasses() : fork(module, ...rest);
  setFork(instead as typeof fork);
  try {
    return await start();
  } finally {
    setFork(fork);
  }
}

/** Modules that import `fork` by its name see the change too. */
function setFork(fork: typeof childProcess.fork): void {
  childProcess.fork = fork;
  syncBuiltinESMExports();
}

/** Answers as the process does whose trial succeeds. */
function trialThatPasses(): ChildProcess {
  const answers: Record<string, string> = { start: 'loaded', test: 'done' };
  const trial = Object.assign(new EventEmitter(), {
    exitCode: null,
    killed: false,
    kill: () => true,
    send({ type }: { type: string }) {
      queueMicrotask(() => (type === 'exit' ? trial.emit('exit', 0) : trial.emit('message', { type: answers[type] })));
      return true;
    },
  });
  queueMicrotask(() => trial.emit('message', { type: 'ready' }));
  return trial as unknown as ChildProcess;
}
