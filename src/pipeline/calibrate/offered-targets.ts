import type { Split } from '../../calibration/split-examples.js';
import type { SuitePlan, TargetPlan } from '../../config/plan-suite.js';
import { alignElicitation, type CollectedElicitation } from '../asking/elicited-scores.js';
import { alignRotations, type CollectedRotations } from '../asking/rotation-scores.js';
import type { RowSplit } from '../diagnostics/combination-rows.js';
import { type AlignedTarget, alignTarget } from '../join/align-target.js';
import type { DatasetScores } from '../join/dataset-scores.js';
import { type OfferedTarget, offerTarget, type SplitThreads } from './split-threads.js';

/** One data set as its targets see it. */
export interface TargetsInput {
  readonly plan: SuitePlan;
  readonly scores: DatasetScores;
  /** One per seed of the plan. */
  readonly splits: readonly Split[];
  readonly rotations: CollectedRotations['targets'];
  readonly elicited: CollectedElicitation['targets'];
  readonly keepExamples: boolean;
}

/** One target of a data set, aligned and offered to the threads. */
export interface AlignedOffer {
  readonly target: TargetPlan;
  readonly aligned: AlignedTarget;
  readonly offered: OfferedTarget;
}

/** A target that cannot be calibrated. */
export interface Refused {
  readonly target: TargetPlan;
  readonly reason: string;
}

/** The targets of a data set in their order, each offered when it is asked for. */
export function* offeredTargets(input: TargetsInput, threads?: SplitThreads): Generator<AlignedOffer | Refused> {
  for (const target of input.plan.targetsOf(input.scores.dataset)) yield offer(input, target, threads);
}

function offer(input: TargetsInput, target: TargetPlan, threads?: SplitThreads): AlignedOffer | Refused {
  const { plan, scores, rotations, elicited, keepExamples } = input;
  const { id } = target.target;
  const aligned = alignTarget(target, scores);
  if ('reason' in aligned) return { target, reason: aligned.reason };
  // A failed reference can leave too few for a size M.
  const combinationSizes = plan.combinationSizes(scores.dataset).filter((size) => size <= aligned.references.length);
  const splits = plan.seeds.map((seed, s) => ({ seed, ...rowsOfSplit(aligned, input.splits[s]!) }));
  const asked = {
    rotationLogits: alignRotations(aligned, rotations.get(id)),
    ...alignElicitation(aligned, scores.ids, elicited.get(id)),
  };
  const of = { plan, dataset: scores.dataset, target: id, ownBase: target.ownBase.id };
  const offered = offerTarget({ ...of, aligned, asked, combinationSizes, splits, keepExamples }, threads);
  return { target, aligned, offered };
}

export function rowsOfSplit(aligned: AlignedTarget, { calibration, evaluation }: Split): Omit<RowSplit, 'seed'> {
  return { calibration: rowsOf(aligned, calibration), evaluation: rowsOf(aligned, evaluation) };
}

/** Rows of the aligned blocks for the given examples; those that some model lacks are left out. */
function rowsOf({ rowOfExample }: AlignedTarget, examples: Int32Array): Int32Array {
  const rows = new Int32Array(examples.length);
  let count = 0;
  for (let i = 0; i < examples.length; i++) {
    const row = rowOfExample[examples[i]!]!;
    if (row !== -1) rows[count++] = row;
  }
  return rows.subarray(0, count);
}
