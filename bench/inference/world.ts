import { fitTemperature } from '../../src/calibration/fit/fit-temperature.js';
import {
  alignWithModel,
  logitGaps,
  type TeacherAlignment,
  takeAlignment,
} from '../../src/calibration/fit/teacher-alignment.js';
import { normalDraws, uniformDraw } from '../../src/inference/law/normal-draws.js';
import type { ResampledMethod } from '../../src/inference/nested-bootstrap.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { argmax } from '../../src/numeric/argmax.js';
import { type RaggedRows, rowOf } from '../../src/numeric/ragged-rows.js';
import { type SeededGenerator, seededGenerator } from '../../src/numeric/random/seeded-generator.js';
import { softmax } from '../../src/numeric/softmax.js';

/** What the labels of a world follow: K logits of the given deviation, normal or Student's t of 4 degrees. */
export interface LabelLaw {
  readonly options: number;
  readonly deviation: number;
  readonly tails: 'normal' | 'heavy';
}

const PLAIN: LabelLaw = { options: 4, deviation: 1.6, tails: 'normal' };

/** How the logits and the teacher of one method come about from the shared ones. */
export interface MethodLaw {
  /** Deviation of noise of its own on the logits, 0 for the shared ones (another method of temperature). */
  readonly noise: number;
  /** Deviation of the noise of the teacher: what makes the fit uncertain. */
  readonly teacherNoise: number;
  /** The fit to the whole population has an ECE of this size, over- or under-confident. */
  readonly target: number;
  readonly sign: 'over' | 'under';
  /** Power of the size of every logit, 1 when absent: above it sure answers are too sure and unsure ones not enough. */
  readonly bend?: number;
}

/** One method on a finite population of examples, each with a label law. */
export interface MethodPopulation {
  readonly alignment: TeacherAlignment;
  readonly predictions: Int32Array;
  /** At the temperature of the fit to the whole population. */
  readonly ece: number;
  readonly inverseTemperature: number;
}

/**
 * Examples with label law softmax(z), z four normals of deviation 1.6 or another law, and methods that see z with
 * noise.
 */
export interface World {
  readonly labelLaw: RaggedRows;
  readonly methods: readonly MethodPopulation[];
}

export function world(laws: readonly MethodLaw[], size = 20_000, of: LabelLaw = PLAIN): World {
  const generator = seededGenerator(9);
  const { options, deviation, tails } = of;
  const z = rows(
    normalDraws(generator, size * options).map((value) => deviation * value),
    options,
  );
  for (let n = 0; tails === 'heavy' && n < size; n++) {
    const square = normalDraws(generator, 4).reduce((sum, each) => sum + each * each, 0);
    z.values.set(
      rowOf(z, n).map((value) => value / Math.sqrt(square / 4)),
      options * n,
    );
  }
  const labelLaw = rows(new Float64Array(size * options), options);
  for (let n = 0; n < size; n++) labelLaw.values.set(softmax(rowOf(z, n)), options * n);
  return { labelLaw, methods: laws.map((law) => methodPopulation(z, labelLaw, law, generator)) };
}

function methodPopulation(
  z: RaggedRows,
  labelLaw: RaggedRows,
  law: MethodLaw,
  generator: SeededGenerator,
): MethodPopulation {
  const K = optionsOf(z);
  const noise = normalDraws(generator, K * z.rowCount);
  const teacherNoise = normalDraws(generator, K * z.rowCount);
  const logits = rows(
    z.values.map((value, i) => 3 * bent(value + law.noise * (noise[i] ?? 0), law.bend)),
    K,
  );
  const gaps = logitGaps(logits);
  const predictions = Int32Array.from({ length: z.rowCount }, (_, n) => argmax(rowOf(gaps, n)));
  const weights = new Float64Array(z.rowCount).fill(1);
  const errorAt = (beta: number) => trueEce(gaps, predictions, labelLaw, beta);
  const inverseTemperature = wantedTemperature(law, errorAt);
  const fitted = (scale: number) => {
    const teacher = logits.values.map((value, i) => scale * value + law.teacherNoise * (teacherNoise[i] ?? 0));
    const alignment = alignWithModel(gaps, rows(teacher, K));
    const outcome = fitTemperature(alignment, weights);
    return { alignment, beta: outcome.kind === 'finite' ? outcome.inverseTemperature : 0 };
  };
  // The fit is nearly in proportion to the teacher's scale.
  let scale = inverseTemperature;
  for (let i = 0; i < 8; i++) scale *= inverseTemperature / fitted(scale).beta;
  const { alignment, beta } = fitted(scale);
  return { alignment, predictions, inverseTemperature: beta, ece: errorAt(beta) };
}

function bent(value: number, bend = 1): number {
  return bend === 1 ? value : Math.sign(value) * Math.abs(value) ** bend;
}

/** The inverse temperature of the wanted ECE on the wanted side of the best one. */
function wantedTemperature({ target, sign }: MethodLaw, errorAt: (beta: number) => number): number {
  let [low, high] = [0.05, 1];
  for (let i = 0; i < 18; i++) {
    const [a, b] = [high - 0.618 * (high - low), low + 0.618 * (high - low)];
    if (errorAt(a) < errorAt(b)) high = b;
    else low = a;
  }
  const best = (low + high) / 2;
  if (target === 0) return best;
  [low, high] = sign === 'over' ? [best, 4 * best] : [best, best / 6];
  for (let i = 0; i < 18; i++) {
    const middle = (low + high) / 2;
    if (errorAt(middle) < target) low = middle;
    else high = middle;
  }
  return high;
}

function trueEce(gaps: RaggedRows, predictions: Int32Array, labelLaw: RaggedRows, beta: number): number {
  const confidences = Float64Array.from(predictions, (p, n) => softmax(rowOf(gaps, n), beta)[p] ?? 0);
  const accuracies = Float64Array.from(predictions, (p, n) => labelLaw.values[optionsOf(labelLaw) * n + p] ?? 0);
  const bins = reliabilityBins(confidences, accuracies as never);
  return bins.reduce(
    (sum, { count, overconfidence }) => sum + (count / predictions.length) * Math.abs(overconfidence ?? 0),
    0,
  );
}

/** A data set of N examples from the world, as methods to resample. */
export function dataSet({ labelLaw, methods }: World, count: number, generator: SeededGenerator): ResampledMethod[] {
  const taken = Int32Array.from({ length: count }, () => Math.floor(uniformDraw(generator) * labelLaw.rowCount));
  const K = optionsOf(labelLaw);
  const labels = taken.map((n) => {
    let left = uniformDraw(generator);
    for (let k = 0; k < K - 1; k++) {
      left -= labelLaw.values[K * n + k] ?? 0;
      if (left < 0) return k;
    }
    return K - 1;
  });
  const weights = new Float64Array(count).fill(1);
  return methods.map(({ alignment, predictions }) => ({
    kind: 'fitted',
    alignment: takeAlignment(alignment, taken),
    weigh: () => weights,
    correct: Int8Array.from(labels, (label, i) => (predictions[taken[i] ?? 0] === label ? 1 : 0)),
  }));
}

function rows(values: Float64Array, options: number): RaggedRows {
  const rowCount = values.length / options;
  return { rowCount, offsets: Int32Array.from({ length: rowCount + 1 }, (_, n) => options * n), values };
}

function optionsOf({ offsets }: RaggedRows): number {
  return offsets[1] ?? 0;
}
