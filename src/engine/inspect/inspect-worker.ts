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
const inspect = async (request: InspectRequest) => {
  busy = true;
  // It never rejects: whatever fails is told to the parent.
  await inspectModel(backend, request, memory, send);
  busy = false;
};
process.on('message', (request: InspectRequest) => void inspect(request));
send({ kind: 'ready' });
