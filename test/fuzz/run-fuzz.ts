import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startThread } from '../../src/files/startable-module.js';
import { startedModule } from '../built-modules.js';
import type { FromFuzzer, FuzzTask } from './fuzz-worker.js';

/** What the cases of one target came to. */
export interface FuzzReport {
  readonly target: string;
  readonly cases: number;
  /** Ending -> how many cases. */
  readonly endings: Readonly<Record<string, number>>;
  /** Cases that hung or killed a decoder without limits, and were then read the way a run reads. */
  readonly stopped: number;
  readonly failures: ReadonlyArray<{ readonly index: number; readonly what: string }>;
}

/** Formats that a run reads in a thread with limits, because their decoders cannot be trusted. */
const LIMITED = new Set(['Arrow rows', 'Parquet rows']);
/** No input may take longer. */
const LIMIT_MS = 5_000;
/** Where a target has limits of its own, a decoder without them is given up earlier. */
const IMPATIENT_MS = 1_000;
const IMPATIENT_MIB = 256;
/** A replay ends by the limits of the run; this leaves time to start its thread on a busy machine. */
const REPLAY_MS = 30_000;

/** Runs `count` seeded cases of a target in a thread, which is ended and started again at a case that hangs. */
export async function runFuzz(target: string, seed: number, count: number): Promise<FuzzReport> {
  const folder = mkdtempSync(path.join(tmpdir(), 'supportcal-fuzz-'));
  const endings: Record<string, number> = {};
  const failures: { index: number; what: string }[] = [];
  const note = (message: FromFuzzer) => {
    if (message.kind === 'failure') failures.push(message);
    else endings[message.ending] = (endings[message.ending] ?? 0) + 1;
  };
  let stopped = 0;
  try {
    for (let from = 0; from < count; ) {
      const limited = LIMITED.has(target);
      const task = { target, seed, from, to: count, folder, strays: limited, replay: false };
      const end = await runThread(task, limited ? IMPATIENT_MS : LIMIT_MS, note);
      if (end === null) break;
      const { index } = end;
      if (limited) stopped++;
      const last = limited
        ? await runThread({ ...task, from: index, to: index + 1, replay: true }, REPLAY_MS, note)
        : end;
      if (last !== null) failures.push(last);
      from = index + 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { target, cases: count, endings, stopped, failures };
}

/** The case that hung or killed the thread, or null when all ended. */
function runThread(
  task: Omit<FuzzTask, 'shared'>,
  limit: number,
  note: (message: FromFuzzer) => void,
): Promise<{ index: number; what: string } | null> {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = startThread(startedModule('fuzz/fuzz-worker'), {
    workerData: { ...task, shared } satisfies FuzzTask,
    ...(limit === IMPATIENT_MS && { resourceLimits: { maxOldGenerationSizeMb: IMPATIENT_MIB } }),
  });
  worker.on('message', note);
  return new Promise((resolve) => {
    let ended = false;
    const end = (what: string | null) => {
      // Ending a thread makes it exit, which must not count as another reason.
      if (ended) return;
      ended = true;
      clearInterval(watch);
      const index = Atomics.load(shared, 0);
      void worker.terminate().then(() => resolve(what === null ? null : { index, what }));
    };
    let [seen, since] = [0, Date.now()];
    const watch = setInterval(() => {
      const started = Atomics.load(shared, 1);
      if (started !== seen) [seen, since] = [started, Date.now()];
      else if (started > 0 && Date.now() - since > limit) end(`takes longer than ${limit} ms`);
    }, 50);
    worker.on('error', (error) => end(`the thread died: ${error.stack}`));
    worker.on('exit', () => end(Atomics.load(shared, 0) === task.to ? null : 'its promise never settles'));
  });
}
