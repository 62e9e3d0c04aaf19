import type { Device } from '../../contract/device.js';
import type { ProbeResult } from '../../engine/llama/probe.js';
import { ownModule } from '../../files/own-files.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { forkModule } from '../process/spawn-worker.js';

/** A driver that is only waking up needs some seconds; one that hangs must not hold the run. */
const PROBE_MS = 120_000;

const OUTPUT_KEPT = 64 * 1024;

/**
 * Tries one device in a process of its own. A crash or a hang there is a result like any other.
 *
 * @param environment variables that the process has on top of ours, such as the one that shows it a single card
 */
export async function probeDevice(
  device: Device,
  modelPath?: string,
  environment: Record<string, string> = {},
): Promise<ProbeResult> {
  const args = modelPath === undefined ? [device] : [device, modelPath];
  const child = forkModule(ownModule('engine/llama/probe'), args, environment);
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
  const why = firstError(output);
  return `the probe ended: ${how}${why === null ? '' : ` (${why})`}`;
}

/** What llama.cpp prints, and what it means for the user. */
const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/unsupported toolchain/i, 'the GPU driver is older than the CUDA of the prebuilt binary: update the driver'],
  [
    /driver version is insufficient/i,
    'the GPU driver is older than the CUDA of the prebuilt binary: update the driver',
  ],
  [/no kernel image/i, 'the prebuilt binary has no code for this GPU'],
  [/out of memory/i, 'free some of its memory, or take another device'],
];

/** Longer ones are cut. */
const LONGEST = 200;

/**
 * Why a process of llama.cpp died: the first line of its output that tells of an error, with advice where the error is
 * known; null when no line does. An abort prints its cause first, then a stack trace.
 */
export function firstError(output: string): string | null {
  const lines = output.split('\n').map((line) => line.replace(/^\[node-llama-cpp\]\s*/, '').trim());
  const line = lines.find((each) => /\b(error|failed|assert|exception)\b/i.test(each)) ?? null;
  if (line === null) return null;
  const advice = KNOWN.find(([pattern]) => pattern.test(line))?.[1];
  const said = line.length > LONGEST ? `${line.slice(0, LONGEST)} ...` : line;
  return advice === undefined ? said : `${said.replace(/\.$/, '')}; ${advice}`;
}
