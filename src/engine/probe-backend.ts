import { whyUnreadable } from '../files/why-unreadable.js';
import { lastWords } from './last-words.js';
import type { ProbeResult } from './llama/probe.js';
import { forkModule } from './spawn-worker.js';

/** A driver that is only waking up needs some seconds; one that hangs must not hold the run. */
const PROBE_MS = 120_000;

const OUTPUT_KEPT = 64 * 1024;

/** Tries one backend in a process of its own. A crash or a hang there is a result like any other. */
export async function probeBackend(
  backend: 'cuda' | 'vulkan' | 'metal' | 'cpu',
  modelPath?: string,
): Promise<ProbeResult> {
  const child = forkModule('llama/probe', modelPath === undefined ? [backend] : [backend, modelPath]);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output = (output + chunk).slice(-OUTPUT_KEPT);
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), PROBE_MS);
  try {
    return await new Promise<ProbeResult>((resolve) => {
      child.once('message', (message) => resolve(message as ProbeResult));
      child.once('error', (error) =>
        resolve({ ok: false, reason: `the probe could not start: ${whyUnreadable(error)}` }),
      );
      child.once('exit', (code, signal) => {
        // A message that came first has settled the promise already; one still in the channel gets a moment.
        setTimeout(() => resolve({ ok: false, reason: ended(signal ?? `exit code ${code}`, output) }), 100);
      });
    });
  } finally {
    clearTimeout(timer);
    child.kill('SIGKILL');
  }
}

function ended(how: string, output: string): string {
  const why = lastWords(output);
  return `the probe ended: ${how}${why === null ? '' : ` (${why})`}`;
}
