import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { settle } from './fuzz-case.js';
import { Random } from './random.js';
import { TARGETS } from './targets.js';

/** Cases `from` to `to` (not included) of one target; `shared[0]` is the case in hand. */
export interface FuzzTask {
  readonly target: string;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  readonly folder: string;
  readonly shared: Int32Array;
  /**
   * Promises that nobody waits for may reject: a run decodes this format in a thread of its own, which may die of it.
   */
  readonly strays: boolean;
  /** By the way a file goes in a run, with its limits. */
  readonly replay: boolean;
}

export type FromFuzzer =
  | { readonly kind: 'ending'; readonly index: number; readonly ending: string }
  | { readonly kind: 'failure'; readonly index: number; readonly what: string };

/** Entry of the thread that runs cases; its parent ends it when one takes too long. */
const { target: name, seed, from, to, folder, shared, strays, replay } = workerData as FuzzTask;
const target = TARGETS.find((each) => each.name === name)!;
const send = (message: FromFuzzer) => parentPort!.postMessage(message);
if (strays) process.on('unhandledRejection', () => undefined);
const own = path.join(folder, `${from}`);
mkdirSync(own, { recursive: true });
await target.prepare?.(own);
for (let index = from; index < to; index++) {
  Atomics.store(shared, 0, index);
  Atomics.add(shared, 1, 1);
  const random = new Random(seed, name, index);
  try {
    const run = replay && target.replay !== undefined ? target.replay : target.run;
    send({ kind: 'ending', index, ending: await settle(() => run.call(target, random, own)) });
  } catch (error) {
    send({ kind: 'failure', index, what: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
Atomics.store(shared, 0, to);
