import { type ModelTask, modelTask } from './model-task.js';
import type { Backend } from './protocol/backend.js';
import type { FromWorker, ToWorker } from './protocol/protocol.js';

/**
 * Entry of the child process that holds models, one after the other. The first argument is the URL of a module that
 * exports `backend`. The parent decides when to stop: signals of the terminal are ignored, and a parent that is gone
 * in the middle of a model ends the process at once.
 */
let task: ModelTask | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const send = (message: FromWorker) => {
  if (process.connected) process.send?.(message, () => {});
};
const { backend } = (await import(process.argv[2]!)) as { backend: Backend };

process.on('disconnect', () => {
  // No exit handlers of native libraries in mid-work: nobody is left who could use a clean end.
  if (task !== undefined) process.kill(process.pid, 'SIGKILL');
  // Idle: with the native objects gone nothing holds the process, which then ends by itself.
  void backend.shutdown();
});
process.on('message', (message: ToWorker) => {
  if (message.kind === 'prepare') return void backend.prepare?.(message);
  if (message.kind === 'load') {
    const opened = modelTask(backend, send);
    task = opened;
    void opened.ended.then(() => {
      task = undefined;
    });
  }
  task?.receive(message);
});
send({ kind: 'ready' });
