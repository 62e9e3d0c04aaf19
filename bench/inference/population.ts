import { normalDraws, uniformDraw } from '../../src/inference/law/normal-draws.js';
import { reliabilityBins } from '../../src/metrics/bins/reliability-bins.js';
import { ece } from '../../src/metrics/ece.js';
import { type SeededGenerator, seededGenerator } from '../../src/numeric/random/seeded-generator.js';

/**
 * How true accuracy and confidence differ: over-confident by the same number of points everywhere, under-confident
 * below the median confidence and over-confident above it, over-confident as a temperature makes it, wrong in one bin
 * alone, or in waves of three signs.
 */
export type GapShape = 'over' | 'changing' | 'temperature' | 'one-bin' | 'wave';

/**
 * How logits are distributed: normal (deviation 2), nearly sure (5), unsure (0.8), or with heavy tails (Student's t of
 * 3 degrees).
 */
export type LogitLaw = 'normal' | 'sure' | 'unsure' | 'heavy';

/** A finite population: confidences and, of each, the chance to be right. Samples are drawn with replacement. */
export interface Population {
  readonly confidences: Float64Array;
  readonly accuracies: Float64Array;
  /** Binned ECE of the whole population with accuracies in place of answers: the estimand. */
  readonly ece: number;
  /** Binned root mean square error of the whole population, with accuracies in place of answers. */
  readonly rms: number;
}

const SIZE = 100_000;
const SHARPNESS = { normal: 2, sure: 5, unsure: 0.8, heavy: 1.5 };

/**
 * Confidences max softmax(2 z), z of K standard normals, or of another law; accuracies at the given binned ECE (ten
 * equal-width bins).
 */
export function population(options: number, shape: GapShape, target: number, law: LogitLaw = 'normal'): Population {
  const generator = seededGenerator(5);
  const confidences = Float64Array.from({ length: SIZE }, () => {
    const z = logits(generator, options, law);
    const most = z.reduce((max, each) => Math.max(max, each));
    return 1 / z.reduce((sum, each) => sum + Math.exp(SHARPNESS[law] * (each - most)), 0);
  });
  const gapAt = gapOf(shape, confidences, options);
  const at = (size: number) => confidences.map((c) => Math.min(0.995, Math.max(0.005, c - size * gapAt(c))));
  let [low, high] = [0, target === 0 ? 0 : 20];
  for (let i = 0; i < 30; i++) {
    const middle = (low + high) / 2;
    if (ece(confidences, at(middle) as never) < target) low = middle;
    else high = middle;
  }
  const accuracies = target === 0 ? confidences.slice() : at(high);
  const bins = reliabilityBins(confidences, accuracies as never);
  const square = bins.reduce((sum, { count, overconfidence }) => sum + (count / SIZE) * (overconfidence ?? 0) ** 2, 0);
  return { confidences, accuracies, ece: ece(confidences, accuracies as never), rms: Math.sqrt(square) };
}

function logits(generator: SeededGenerator, options: number, law: LogitLaw): Float64Array {
  const z = normalDraws(generator, options);
  if (law !== 'heavy') return z;
  const squares = normalDraws(generator, 3).reduce((sum, each) => sum + each * each, 0);
  return z.map((each) => each / Math.sqrt(squares / 3));
}

function gapOf(shape: GapShape, confidences: Float64Array, options: number): (confidence: number) => number {
  const median = Float64Array.from(confidences).sort()[SIZE / 2] ?? 0;
  if (shape === 'over') return () => 1;
  if (shape === 'changing') return (c) => (c > median ? 1 : -1);
  if (shape === 'temperature') return (c) => (c - 1 / options) * (1 - c);
  if (shape === 'wave') return (c) => Math.cos((3 * Math.PI * (c - 1 / options)) / (1 - 1 / options));
  return (c) => (c >= 0.7 && c < 0.8 ? 1 : 0);
}

/** N answers drawn from the population. */
export function sample(from: Population, count: number, generator: SeededGenerator) {
  const confidences = new Float64Array(count);
  const correct = new Uint8Array(count);
  for (let n = 0; n < count; n++) {
    const i = Math.floor(uniformDraw(generator) * SIZE);
    confidences[n] = from.confidences[i]!;
    correct[n] = uniformDraw(generator) < from.accuracies[i]! ? 1 : 0;
  }
  return { confidences, correct };
}
