import type { ChildProcess } from 'node:child_process';
import type { FromInspector, InspectRequest } from '../../engine/inspect/inspect-model.js';
import { ownModule } from '../../files/own-files.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { forkModule } from './spawn-worker.js';

export interface InspectChild {
  /** Resolves with the last message (`inspected` or `failed`); a child that dies or is silent too long is `failed`. */
  inspect(request: InspectRequest, onMessage: (message: FromInspector) => void): Promise<FromInspector>;
  readonly alive: boolean;
  end(): Promise<void>;
}

/** Half a minute for the process, the rest for a large vocabulary and many prompts. */
const SILENCE_MS = 180_000;

/** A child process that looks into one model file after the other. */
export function inspectChild(backendModule: string): InspectChild {
  const child = forkModule(ownModule('engine/inspect/inspect-worker'), [backendModule]);
  child.stdout?.resume();
  let tail = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-1000);
  });
  const ready = new Promise<void>((resolve) => child.once('message', () => resolve()));
  const gone = untilGone(child);
  let alive = true;
  void gone.then(() => {
    alive = false;
  });
  return {
    get alive() {
      return alive;
    },
    async inspect(request, onMessage) {
      const died = gone.then((how): FromInspector => {
        const output = tail.trim().split('\n').at(-1) ?? '';
        return { kind: 'failed', reason: `the process that looked into the file ended: ${how} ${output}`.trim() };
      });
      await Promise.race([ready, gone]);
      return await Promise.race([converse(child, request, onMessage), died]);
    },
    async end() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(timer);
    },
  };
}

function converse(child: ChildProcess, request: InspectRequest, onMessage: (message: FromInspector) => void) {
  return new Promise<FromInspector>((resolve) => {
    const silence = () => setTimeout(() => child.kill('SIGKILL'), SILENCE_MS);
    let timer = silence();
    const receive = (message: FromInspector) => {
      clearTimeout(timer);
      timer = silence();
      onMessage(message);
      if (message.kind !== 'inspected' && message.kind !== 'failed') return;
      clearTimeout(timer);
      child.off('message', receive);
      child.off('exit', stopWaiting);
      resolve(message);
    };
    const stopWaiting = () => clearTimeout(timer);
    child.once('exit', stopWaiting);
    child.on('message', receive);
    if (child.connected) child.send(request, () => {});
  });
}

function untilGone(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not start: ${whyUnreadable(error)}`));
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
}
