import type { ChildProcess } from 'node:child_process';
import type { FromInspector, InspectRequest } from '../../engine/inspect/inspect-model.js';
import { ownModule } from '../../files/own-files.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { watchEnding } from './how-it-ended.js';
import { patience } from './patience.js';
import { forkModule } from './spawn-worker.js';

export interface InspectChild {
  /** Resolves with the last message (`inspected` or `failed`); a child that dies or is silent too long is `failed`. */
  inspect(request: InspectRequest, onMessage: (message: FromInspector) => void): Promise<FromInspector>;
  readonly alive: boolean;
  /** Lets the child end by itself. One that is at work on a file, whose result nobody waits for, is killed. */
  end(): Promise<void>;
}

/** Time without a message and without work, for the process, a large vocabulary, and the prompts. */
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
  let atWork = false;
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
        const advice = 'the file may be damaged or converted wrongly: fetch it again, or try another file of the model';
        const reason = `the process that looked into the file ended: ${`${how} ${output}`.trim()}; ${advice}`;
        return { kind: 'failed', reason };
      });
      atWork = true;
      await Promise.race([ready, gone]);
      // Nobody would stop the watch over a process that has ended before.
      const end = alive ? await Promise.race([converse(child, request, onMessage), died]) : await died;
      atWork = false;
      return end;
    },
    async end() {
      if (atWork) child.kill('SIGKILL');
      else if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(timer);
    },
  };
}

function converse(child: ChildProcess, request: InspectRequest, onMessage: (message: FromInspector) => void) {
  return new Promise<FromInspector>((resolve) => {
    const watch = patience(child.pid, (what) => {
      child.kill('SIGKILL');
      const reason = `the process that looked into the file was ended: ${what}; this says nothing against the file`;
      end({ kind: 'failed', reason });
    });
    let over = false;
    const stopWaiting = () => {
      over = true;
      watch.clear();
    };
    const end = (message: FromInspector) => {
      stopWaiting();
      child.off('message', receive);
      child.off('exit', stopWaiting);
      resolve(message);
    };
    const step = (what: string) => {
      if (!over) watch.set({ what, silentMs: SILENCE_MS });
    };
    const receive = (message: FromInspector) => {
      step(
        message.kind === 'progress' ? `tokenising (${message.done} of ${message.total} prompts done)` : 'it was asked',
      );
      onMessage(message);
      if (message.kind === 'inspected' || message.kind === 'failed') end(message);
    };
    step('loading the vocabulary');
    child.once('exit', stopWaiting);
    child.on('message', receive);
    if (child.connected) child.send(request, () => {});
  });
}

function untilGone(child: ChildProcess): Promise<string> {
  const ending = watchEnding(child);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not start: ${whyUnreadable(error)}`));
    child.once('exit', (code, signal) => resolve(ending(code, signal)));
  });
}
