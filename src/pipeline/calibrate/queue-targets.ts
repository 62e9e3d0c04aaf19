import { fittable } from '../../calibration/certain-rows.js';
import type { Split } from '../../calibration/split-examples.js';
import type { SuitePlan, TargetPlan } from '../../config/plan-suite.js';
import { alignAsked } from '../asking/asked-scores.js';
import type { WayScores } from '../asking/way-of-asking.js';
import type { RowSplit } from '../diagnostics/combination-rows.js';
import type { AlignedTarget } from '../join/align-target.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import { exampleNotes } from './example-notes.js';
import { type MethodGroup, methodGroups } from './method-groups.js';
import { type QueuedTarget, queueTarget, type SplitThreads } from './split-threads.js';

/** What one data set brings into calibration. */
export interface DatasetInput {
  /** The suite as it is on this data set. */
  readonly suite: SuitePlan;
  readonly scores: DatasetScores;
  /** What targets were asked beside their plain prompts. */
  readonly asked: readonly WayScores[];
}

/** One data set as its targets see it. */
export interface TargetsInput extends DatasetInput {
  /** One per seed of the suite, with its seed. */
  readonly splits: readonly SeededSplit[];
  readonly keepExamples: boolean;
}

export interface SeededSplit extends Split {
  readonly seed: number;
}

/** One target of a data set, aligned, with its splits in the queue of the threads. */
export interface QueuedAlignment {
  readonly target: TargetPlan;
  readonly aligned: AlignedTarget;
  readonly queued: QueuedTarget;
  /** Whether these are the examples that diagnostics and figures show: those of the first group of methods. */
  readonly first: boolean;
  /** false: its methods need no own base, and nothing is said of that on these examples. */
  readonly withOwnBase: boolean;
  readonly notes: readonly string[];
}

/** A target that cannot be calibrated. */
export interface RefusedTarget {
  readonly target: TargetPlan;
  readonly reason: string;
}

/**
 * The targets of a data set in their order, each put into the queue when it is asked for; one whose methods do not
 * share their examples comes once for each group of them.
 */
export function* queueTargets(input: TargetsInput, threads?: SplitThreads): Generator<QueuedAlignment | RefusedTarget> {
  for (const target of input.suite.targetsOf(input.scores.dataset)) {
    const groups = methodGroups(input.suite, target, input.scores);
    if ('reason' in groups) yield { target, reason: groups.reason };
    else {
      const notes = exampleNotes(input.suite, target, input.scores, groups);
      for (const [n, group] of groups.entries())
        yield { ...queue(input, target, group, threads), first: n === 0, notes: n === 0 ? notes : [] };
    }
  }
}

function queue(
  input: TargetsInput,
  target: TargetPlan,
  { methods, aligned, withOwnBase }: MethodGroup,
  threads?: SplitThreads,
): Omit<QueuedAlignment, 'first' | 'notes'> {
  const { suite, scores, asked, keepExamples } = input;
  const { dataset, ids } = scores;
  const job = {
    suite: methods.length === suite.methods.length ? suite : { ...suite, methods },
    dataset,
    target: target.target.id,
    ownBase: target.ownBase.id,
    aligned,
    asked: alignAsked(asked, target.target.id, { ...aligned, ids }),
    // A failed reference can leave too few for a size M.
    combinationSizes: suite.combinationSizes(dataset).filter((size) => size <= aligned.references.length),
    splits: input.splits.map(({ seed, ...split }) => ({ seed, ...rowsOfSplit(aligned, split) })),
    keepExamples,
  };
  return { target, aligned, queued: queueTarget(job, threads), withOwnBase };
}

/** Rows of a split in the aligned blocks; fits take no row with an option of probability 0, metrics all of them. */
export function rowsOfSplit(aligned: AlignedTarget, { calibration, evaluation }: Split): Omit<RowSplit, 'seed'> {
  return {
    calibration: fittable(rowsOf(aligned, calibration), aligned.certain),
    evaluation: rowsOf(aligned, evaluation),
  };
}

/** Rows of the aligned blocks for the given examples; those that some model lacks are left out. */
function rowsOf({ rowOfExample }: AlignedTarget, examples: Int32Array): Int32Array {
  const rows = new Int32Array(examples.length);
  let count = 0;
  for (const example of examples) {
    const row = rowOfExample[example] ?? -1;
    if (row !== -1) rows[count++] = row;
  }
  return rows.subarray(0, count);
}
