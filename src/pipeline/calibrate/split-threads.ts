import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import type { TargetCalibration } from '../../calibration/calibrate-target.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import { ownModule } from '../../files/own-files.js';
import { startsFast, startThread } from '../../files/startable-module.js';
import { type RaggedRows, sharedRows } from '../../numeric/ragged-rows.js';
import { sharedArray, withSharedArrays } from '../../numeric/shared-array.js';
import type { MeasuredShare, MeasureHelper } from './measure-elsewhere.js';
import type { RefitHelper, RefitShare, RefittedMethod } from './refit-shares.js';
import { evaluatedExamples, joinParts, type SplitPart, splitParts } from './split-parts.js';
import type { FromSplitWorker, SplitWork, ToSplitWorker } from './split-worker.js';
import {
  type PreparedRuns,
  prepareCalibration,
  prepareRuns,
  type RunSuite,
  type SplitRuns,
  splitRuns,
  type TargetJob,
} from './target-runs.js';

/** Threads that help with the splits of a target, and with its refits on resamples. */
export interface SplitThreads {
  readonly helpers: readonly Helper[];
  /** Starts threads that are missing, or asks no more of those that are too many. */
  resize(count: number): SplitThreads;
  close(): Promise<void>;
}

interface Helper extends RefitHelper, MeasureHelper {
  /** Takes part in a target; resolves with what it did, also when the thread died on the way. */
  help(work: SplitWork): Promise<ReadonlyMap<number, SplitRuns>>;
}

const SPLIT_WORKER = ownModule('pipeline/calibrate/split-worker');

/**
 * Starts helping threads; their modules load while this thread goes on.
 *
 * @param rehearsed what they try on a made-up target until they get one; null: they wait
 */
export function openThreads(count: number, rehearsed: RunSuite | null = null): SplitThreads {
  const workerData = rehearsed && sharedSuite(rehearsed);
  const workers: Worker[] = [];
  const helpers: Helper[] = [];
  const threads: SplitThreads = {
    helpers,
    resize(wanted) {
      while (workers.length < wanted) {
        const worker = startThread(SPLIT_WORKER, { workerData });
        workers.push(worker);
        helpers.push(helperOf(worker));
      }
      helpers.length = wanted;
      return threads;
    },
    close: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  };
  return threads.resize(count);
}

/**
 * Evaluated examples (examples x seeds x columns) of a target from which this thread takes splits too; below, V8
 * compiling for this thread what runs often takes longer than it saves.
 */
const LEAST_SHARED = 1_000_000;

/** A target whose splits any thread may take. */
export interface QueuedTarget {
  readonly job: TargetJob;
  readonly parts: readonly SplitPart[];
  /** One counter that all threads share: the next part that nobody has taken. */
  readonly next: Int32Array;
  /** What each helper did, by part. */
  readonly helped: Promise<ReadonlyArray<ReadonlyMap<number, SplitRuns>>>;
  /** What does not depend on a split, made when it is first asked for. */
  calibration(): TargetCalibration;
}

/**
 * Puts a target into the queue of the threads, which begin with it when they are done with those before it. What does
 * not depend on a split is prepared here for all of them.
 */
export function queueTarget(given: TargetJob, threads?: SplitThreads): QueuedTarget {
  const next = new Int32Array(new SharedArrayBuffer(4));
  const prepared = threads === undefined || threads.helpers.length === 0 ? null : preparedJob(given);
  const job = prepared ?? given;
  let made: TargetCalibration | undefined;
  const calibration = () => {
    made ??= prepareCalibration(job);
    return made;
  };
  const helpers = prepared === null ? [] : (threads?.helpers ?? []);
  const parts = splitParts(job, helpers.length + 1);
  return { job, parts, next, calibration, helped: helpWith(helpers, { job, parts, next }) };
}

/** null: it cannot be prepared, and the fault is raised where the target's turn comes. */
function preparedJob(job: TargetJob): TargetJob | null {
  try {
    return { ...job, prepared: withSharedArrays(prepareCalibration(job).examples) };
  } catch {
    return null;
  }
}

async function helpWith(helpers: readonly Helper[], given: SplitWork) {
  if (helpers.length === 0) return [];
  const work = { ...given, job: sharedJob(given.job) };
  return Promise.all(helpers.map((helper) => helper.help(work)));
}

/**
 * Every split of a target, each done once by whichever thread is free, in the order of the splits. What a thread could
 * not do is done here again, so that a fault is raised as it would be without threads.
 *
 * @param meanwhile what this thread alone can do while others are at work; it takes parts after that
 */
export async function finishTarget(
  { job, parts, next, calibration, helped }: QueuedTarget,
  meanwhile?: () => unknown,
): Promise<readonly SplitRuns[]> {
  const done: SplitRuns[] = new Array(parts.length);
  let prepared: PreparedRuns | undefined;
  const run = (part: number) => {
    const { split, methods } = parts[part]!;
    prepared ??= prepareRuns(job, calibration());
    done[part] = splitRuns(job, prepared, job.splits[split]!, methods);
  };
  const take = () => Atomics.add(next, 0, 1);
  meanwhile?.();
  if (evaluatedExamples(job) >= LEAST_SHARED) for (let part = take(); part < parts.length; part = take()) run(part);
  for (const each of await helped) for (const [part, runs] of each) done[part] = runs;
  for (let part = 0; part < parts.length; part++) if (done[part] === undefined) run(part);
  return joinParts(job, parts, done);
}

/** Work that a thread was given; it answers in the order in which it was. */
interface Pending {
  /** Takes an answer; true: it was the last one. */
  take(message: FromSplitWorker): boolean;
  /** The thread has died. */
  giveUp(): void;
}

function helperOf(worker: Worker): Helper {
  let dead = false;
  const pending: Pending[] = [];
  const die = () => {
    dead = true;
    for (const each of pending.splice(0)) each.giveUp();
  };
  // A thread that ran out of memory, say: its work is done by the others.
  worker.on('error', die);
  worker.on('exit', die);
  worker.on('message', (message: FromSplitWorker) => {
    if (pending[0]?.take(message) === true) pending.shift();
  });
  const give = (work: ToSplitWorker, each: Pending) => {
    if (dead) return each.giveUp();
    pending.push(each);
    worker.postMessage(work);
  };
  return {
    help: (work) => new Promise((resolve) => give({ kind: 'splits', work }, pendingSplits(resolve))),
    measure: (work) => new Promise((resolve) => give({ kind: 'measure', work }, pendingAnswer('measured', resolve))),
    refit: (work) =>
      new Promise((resolve) => give({ kind: 'refit', work: sharedRefit(work) }, pendingAnswer('refitted', resolve))),
  };
}

function pendingSplits(resolve: (done: ReadonlyMap<number, SplitRuns>) => void): Pending {
  const done = new Map<number, SplitRuns>();
  return {
    take(message) {
      if (message.kind === 'part' && message.done !== null) done.set(message.part, message.done);
      if (message.kind === 'end') resolve(done);
      return message.kind === 'end';
    },
    giveUp: () => resolve(done),
  };
}

/** What a thread answers to work of one answer, by its kind. */
interface Answers {
  readonly measured: MeasuredShare | null;
  readonly refitted: readonly RefittedMethod[] | null;
}

/** Work that comes to one answer; null: the thread could not. */
function pendingAnswer<Kind extends keyof Answers>(kind: Kind, resolve: (done: Answers[Kind] | null) => void): Pending {
  return {
    take(message) {
      if (message.kind === kind) resolve(message.done as Answers[Kind]);
      return true;
    },
    giveUp: () => resolve(null),
  };
}

function sharedRefit(work: RefitShare): RefitShare {
  return { ...work, job: sharedJob(work.job) };
}

function sharedSuite({ methods, combinationMethods, elicitation, binning }: RunSuite): RunSuite {
  return { methods, combinationMethods, ownMethods: [], elicitation, binning };
}

/** Puts the large arrays of a job into memory that threads share; those that are there already stay where they are. */
function sharedJob(job: TargetJob): TargetJob {
  const { aligned, suite, splits } = job;
  const rows = (each: RaggedRows) => sharedRows(each);
  return {
    ...job,
    suite: sharedSuite(suite),
    aligned: {
      targetLogits: rows(aligned.targetLogits),
      ownBaseLogits: rows(aligned.ownBaseLogits),
      references: aligned.references.map(({ id, logits }) => ({ id, logits: rows(logits) })),
      labels: sharedArray(aligned.labels),
    },
    splits: splits.map(({ seed, calibration, evaluation }) => ({
      seed,
      calibration: sharedArray(calibration),
      evaluation: sharedArray(evaluation),
    })),
  };
}

/**
 * Evaluated examples (examples x seeds x columns, of all targets) that pay for a thread that starts fast, or through
 * tsx: see bench/README.md.
 */
const LEAST_WORK = { fast: 200_000, slow: 5_000_000 };
/** What helping threads may take together, and what one takes for an example of a pool of R references. */
const MOST_BYTES = 500 * 2 ** 20;
const bytesPerExample = (references: number) => 8 * references + 250;

/**
 * How many threads help the main one to calibrate: none where starting them costs more than they save, one less than
 * there are processors or seeds at most, and no more than memory allows, since each prepares a target for itself. A
 * method of one's own is a function, which cannot be handed to a thread.
 *
 * @param asked threads at most, the main one among them; then helpers start however small the work
 */
export function helpersFor(
  suite: SuitePlan,
  datasets: ReadonlyArray<{ readonly dataset: string; readonly examples: number }>,
  asked?: number,
  start: keyof typeof LEAST_WORK = startsFast(SPLIT_WORKER) ? 'fast' : 'slow',
): number {
  if (suite.ownMethods.length > 0) return 0;
  const works = datasets.flatMap(({ dataset, examples }) =>
    suite.targetsOf(dataset).map(({ referencePool }) => ({
      work: examples * suite.seeds.length * (suite.methods.length + suite.combinationSizes(dataset).length),
      bytes: examples * bytesPerExample(referencePool.length),
    })),
  );
  const room = Math.floor(MOST_BYTES / Math.max(...works.map(({ bytes }) => bytes)));
  const paid = Math.floor(works.reduce((sum, { work }) => sum + work, 0) / LEAST_WORK[start]);
  const helpers = asked === undefined ? Math.min(availableParallelism() - 1, paid) : asked - 1;
  return Math.max(0, Math.min(helpers, suite.seeds.length - 1, room));
}
