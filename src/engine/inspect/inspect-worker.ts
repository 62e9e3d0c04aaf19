import type { Backend } from '../protocol/backend.js';
import { type FromInspector, type InspectorMemory, type InspectRequest, inspectModel } from './inspect-model.js';

/**
 * Entry of the child process that looks into model files, one after the other: native code that meets a broken file
 * may end the process. The first argument is the URL of a module that exports `backend`.
 */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

const send = (message: FromInspector) => {
  if (process.connected) process.send?.(message, () => {});
};
const { backend } = (await import(process.argv[2]!)) as { backend: Backend };
const memory: InspectorMemory = { sets: new Map(), counts: new Map() };
let busy = false;

process.on('disconnect', () => {
  if (busy) process.kill(process.pid, 'SIGKILL');
  void backend.shutdown();
});
process.on('message', (request: InspectRequest) => {
  busy = true;
  // What it throws is a fault of ours, which ends the process; the parent reports that.
  void inspectModel(backend, request, memory, send).then(() => {
    busy = false;
  });
});
send({ kind: 'ready' });
