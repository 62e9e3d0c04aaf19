import type { Answers } from '../../calibration/answers/answer-method.js';
import { predictions } from '../../calibration/answers/predictions.js';
import type { TargetCalibration } from '../../calibration/calibrate-target.js';
import type { AccuracyMethod, WeightingMethod } from '../../calibration/calibration-method.js';
import { boundedGaps, withoutCertain } from '../../calibration/certain-rows.js';
import { expectedGain as gainOf } from '../../calibration/fit/expected-gain.js';
import {
  alignWithLabels,
  alignWithModel,
  logitGaps,
  type TeacherAlignment,
} from '../../calibration/fit/teacher-alignment.js';
import { CALIBRATION_METHODS } from '../../calibration/methods.js';
import { relativeSupport } from '../../calibration/references/relative-support.js';
import { selectReferences } from '../../calibration/references/select-references.js';
import type { ResampledMethod } from '../../inference/nested-bootstrap.js';
import type { ResampledSplit } from '../../inference/resampled-splits.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import { topProbability } from '../../numeric/softmax.js';
import { answerMethods } from './answer-runs.js';
import type { TargetJob } from './target-runs.js';

/** A method of one target as the nested bootstrap takes it. */
export interface NamedResampling {
  readonly method: string;
  readonly combinationSize: number | null;
  readonly resampling: ResampledMethod;
}

/**
 * Every method of a target that can be fitted again on resamples: those that weigh examples or match a mean
 * confidence, the fit on labels, and those without a temperature. Left out are what labels move only so far, and
 * estimates of one's own, which need not be means over examples.
 *
 * @param certain flags of the rows that no fit takes, see `certainRows`
 */
export function resampledMethods(
  job: TargetJob,
  calibration: TargetCalibration,
  certain: Uint8Array | null = null,
): NamedResampling[] {
  const { suite, aligned, asked } = job;
  const base = baseOf(job, calibration, certain);
  const named = suite.methods.flatMap((method) => temperatureMethods(method, base));
  const answered = answerMethods(suite.methods, asked.ways).flatMap(
    ({ name, answer, temperatureOf }): NamedResampling[] => {
      const answers = answer({ ...aligned, ...asked.inputs, aggregator: suite.elicitation.aggregator });
      if (temperatureOf === undefined || answers.kind === 'confidences')
        return [{ method: name, combinationSize: null, resampling: fixedAnswers(answers, aligned.labels) }];
      return temperatureMethods(temperatureOf, base).flatMap(({ combinationSize, resampling }) => {
        if (resampling.kind !== 'fitted') return [];
        const correct = rightness(predictions(answers.logProbs).indexes, aligned.labels);
        return [
          {
            method: name,
            combinationSize,
            resampling: { ...resampling, correct, applied: boundedGaps(logitGaps(answers.logProbs)) },
          },
        ];
      });
    },
  );
  return [...named, ...answered];
}

/** What the methods of one target share. */
interface Base {
  readonly job: TargetJob;
  readonly calibration: TargetCalibration;
  readonly alignment: TeacherAlignment;
  /** What temperatures are put on. */
  readonly applied: RaggedRows;
  /** Flags of the rows that no fit takes. */
  readonly certain: Uint8Array | null;
  readonly correct: Int8Array;
  /** The whole of the target, opened for weights. */
  readonly whole: ReturnType<TargetCalibration['open']>;
  readonly table: readonly (typeof CALIBRATION_METHODS)[number][];
}

function baseOf(job: TargetJob, calibration: TargetCalibration, certain: Uint8Array | null): Base {
  const { targetLogits, ownBaseLogits, labels } = job.aligned;
  const rows = Int32Array.from({ length: labels.length }, (_, n) => n);
  return {
    job,
    calibration,
    alignment: alignWithModel(logitGaps(withoutCertain(targetLogits, certain)), withoutCertain(ownBaseLogits, certain)),
    applied: boundedGaps(logitGaps(targetLogits)),
    certain,
    correct: rightness(calibration.targetPredictions, labels),
    whole: calibration.open(rows),
    table: [...CALIBRATION_METHODS, ...job.suite.ownMethods],
  };
}

function temperatureMethods(name: string, base: Base): NamedResampling[] {
  const { alignment, applied, certain, correct, job } = base;
  const method = base.table.find((each) => each.name === name);
  const { targetLogits, labels } = job.aligned;
  const only = (resampling: ResampledMethod) => [{ method: name, combinationSize: null, resampling }];
  if (method === undefined || 'prior' in method) return [];
  if ('doubt' in method) {
    const accuracies = accuraciesOf(method, base);
    return accuracies === null ? [] : only({ kind: 'matched', gaps: applied, accuracies, certain, correct });
  }
  if (method.needs === 'nothing')
    return only({ kind: 'fixed', confidences: confidencesAt(targetLogits, 1 / method.temperature), correct });
  if (method.needs === 'labels') {
    const weights = fitted(
      Float64Array.from(labels, (label) => (label === -1 ? 0 : 1)),
      certain,
    );
    const teacher = alignWithLabels(alignment.gaps, labels);
    return only({ kind: 'fitted', alignment: teacher, applied, weigh: () => weights, correct });
  }
  if (method.needs === 'own-base') {
    const weights = fitted(base.whole.weigh(method, null).weights, certain);
    return only({ kind: 'fitted', alignment, applied, weigh: () => weights, correct });
  }
  return job.combinationSizes.map((combinationSize) => ({
    method: name,
    combinationSize,
    resampling: { kind: 'fitted', alignment, applied, weigh: selecting(method, combinationSize, base), correct },
  }));
}

/**
 * The accuracy that a built-in method takes the target to have, as a mean over examples: its estimate is linear in what
 * it is made of, so that it can be made of each example alone. null: a method of one's own, or nobody to ask.
 */
function accuraciesOf(method: AccuracyMethod, { job, calibration }: Base): Float64Array | null {
  const { ownBaseLogits, references } = job.aligned;
  if (!CALIBRATION_METHODS.includes(method)) return null;
  if (method.needs === 'pool' && references.length === 0 && method.poolOptional !== true) return null;
  const { targetPredictions, ownBasePredictions } = calibration;
  const logits = references.map((each) => each.logits);
  const answers = { targetPredictions, ownBasePredictions, references: logits };
  return confidencesAt(ownBaseLogits, 1).map((confidence, n) => {
    const expectedGain = () => (logits.length === 0 ? 0 : gainOf(answers, Int32Array.of(n)));
    return 1 - method.doubt({ ownBaseDoubt: () => 1 - confidence, expectedGain });
  });
}

/**
 * Weights with the references of Eq. (selector) on the calibration side of each resample, where an example counts as
 * often as it was drawn; weights are made once per choice.
 */
function selecting(
  method: WeightingMethod,
  combinationSize: number,
  base: Base,
): (split: ResampledSplit) => Float64Array {
  const { disagreement, targetPredictions } = base.calibration;
  const supports = base.job.aligned.references
    .map(({ id, logits }) => ({ id, support: relativeSupport(logits, targetPredictions, disagreement) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const known = new Map<string, Float64Array>();
  const selectable = disagreement.map((flag, n) => (base.certain?.[n] === 1 ? 0 : flag));
  return (split) => {
    const means = meanSupports(supports, selectable, split);
    const chosen = means === null ? null : selectReferences(means, combinationSize).references;
    const key = JSON.stringify(chosen);
    const weights = known.get(key) ?? fitted(base.whole.weigh(method, chosen).weights, base.certain);
    known.set(key, weights);
    return weights;
  };
}

/** Weights without the rows that no fit takes. */
function fitted(weights: Float64Array, certain: Uint8Array | null): Float64Array {
  return certain === null ? weights : weights.map((weight, n) => (certain[n] === 1 ? 0 : weight));
}

function meanSupports(
  supports: ReadonlyArray<{ readonly id: string; readonly support: Float64Array }>,
  selectable: Uint8Array,
  { calibration, counts }: ResampledSplit,
) {
  const [rows, times] = [new Int32Array(calibration.length), new Float64Array(calibration.length)];
  let [chosen, total] = [0, 0];
  for (let i = 0; i < calibration.length; i++) {
    const n = calibration[i]!;
    if (selectable[n] !== 1) continue;
    rows[chosen] = n;
    times[chosen++] = counts[n]!;
    total += counts[n]!;
  }
  if (total === 0) return null;
  return supports.map(({ id, support }) => ({
    id,
    meanSupport: weightedSum(support, rows.subarray(0, chosen), times) / total,
  }));
}

/** The values at the given rows, the i-th of them `times[i]` times. */
function weightedSum(values: Float64Array, rows: Int32Array, times: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < rows.length; i++) sum += times[i]! * values[rows[i]!]!;
  return sum;
}

function fixedAnswers(answers: Answers, labels: Int32Array): ResampledMethod {
  if (answers.kind === 'confidences')
    return { kind: 'fixed', confidences: answers.confidences, correct: rightness(answers.predictions, labels) };
  const correct = rightness(predictions(answers.logProbs).indexes, labels);
  return { kind: 'fixed', confidences: confidencesAt(answers.logProbs, 1), correct };
}

/** 1 right, 0 wrong, -1 without a label or an answer. */
function rightness(predicted: Int32Array, labels: Int32Array): Int8Array {
  return Int8Array.from(labels, (label, n) =>
    label === -1 || predicted[n] === -1 ? -1 : predicted[n] === label ? 1 : 0,
  );
}

function confidencesAt(rows: RaggedRows, beta: number): Float64Array {
  const confidences = new Float64Array(rows.rowCount);
  for (let n = 0; n < rows.rowCount; n++) confidences[n] = topProbability(rows, n, beta);
  return confidences;
}
