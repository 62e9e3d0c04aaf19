import { SupportCalError } from '../errors/supportcal-error.js';
import { type ComplexSignal, convolveTransforms, fft, zeroSignal } from '../numeric/fft.js';
import { inBlocks } from '../numeric/in-blocks.js';
import type { RankedConfidences } from './bins/ranked-confidences.js';

/**
 * relplot searches the bandwidth by 10 halvings of (0, 1], so it is always a multiple of 1/1024, and at least 0.001.
 */
const STEPS = 1024;
const LEAST_POINTS = 200;
const LEAST_GRID = 2000;
const DENSITY_FLOOR = 1e-4;
/** Guesses before the search halves; it needs two to four. */
const MOST_GUESSES = 8;
const GUESS_BINS = 10;
/** The slope of the error by the bandwidth that is assumed until it is measured. */
const TYPICAL_SLOPE = -0.3;

/**
 * Smooth calibration error smECE (Blasiok and Nakkiran 2024, "Smooth ECE: principled reliability diagrams via kernel
 * smoothing", Def. 6 and Alg. 1) in [0, 1], as the authors' package relplot 1.0.3 computes it: residuals and density on
 * a grid, smoothed by a reflected Gaussian that ends at +-0.5, at the smallest bandwidth k/1024 that is not below the
 * error at that bandwidth. Equal to relplot's number to rounding.
 */
export function smoothEce(ranked: RankedConfidences): number {
  const count = ranked.right.length + ranked.wrong.length;
  if (count === 0) {
    throw new SupportCalError('bad-input', 'expected at least one labelled example to measure calibration on');
  }
  const grids = new Map<number, ComplexSignal>();
  // Where error and bandwidth cross, by secants from a guess near it; the bracket makes the search safe.
  let below = 1;
  let above = STEPS;
  let error: number | null = null;
  let [guess, slope] = [Math.ceil(STEPS * binnedError(ranked, count)), TYPICAL_SLOPE];
  let last: { readonly k: number; readonly steps: number } | null = null;
  for (let guesses = 0; above - below > 1; guesses++) {
    const k = guesses < MOST_GUESSES ? Math.min(Math.max(guess, below + 1), above - 1) : (below + above) >> 1;
    const found = smoothedError(ranked, grids, k);
    if (k / STEPS < found) below = k;
    else {
      above = k;
      error = found;
    }
    const steps = STEPS * found;
    if (last !== null) slope = Math.min(0, (steps - last.steps) / (k - last.k));
    guess = Math.ceil(k + (steps - k) / (1 - slope));
    last = { k, steps };
  }
  return error ?? smoothedError(ranked, grids, above);
}

/** ECE of ten equal bins: near the smoothed error, at a hundredth of its cost. */
function binnedError({ right, wrong }: RankedConfidences, count: number): number {
  const residuals = new Float64Array(GUESS_BINS);
  inBlocks(right.length, (first, last) => addResiduals(residuals, right.subarray(first, last), 1));
  inBlocks(wrong.length, (first, last) => addResiduals(residuals, wrong.subarray(first, last), 0));
  let sum = 0;
  for (const residual of residuals) sum += Math.abs(residual);
  return sum / count;
}

function addResiduals(residuals: Float64Array, confidences: Float64Array, hit: number): void {
  for (let n = 0; n < confidences.length; n++) {
    const confidence = confidences[n]!;
    residuals[Math.min((confidence * GUESS_BINS) | 0, GUESS_BINS - 1)]! += confidence - hit;
  }
}

/** Integral of |smoothed residual| over that of the density, at bandwidth k/1024. */
function smoothedError(ranked: RankedConfidences, grids: Map<number, ComplexSignal>, k: number): number {
  const bandwidth = k / STEPS;
  const size = (Math.max(LEAST_GRID, Math.round(20 / bandwidth)) >> 1) + 1;
  const grid = grids.get(size) ?? gridTransform(ranked, size);
  grids.set(size, grid);
  const { real, imaginary } = convolveTransforms(grid, kernelTransform(k, size));
  const points = Math.max(Math.round(10 / bandwidth), LEAST_POINTS);
  const cells = size - 1;
  let residual = 0;
  let density = 0;
  for (let i = 0; i < points; i++) {
    const at = (i / (points - 1)) * cells;
    const cell = Math.min(Math.floor(at), cells - 1);
    const part = at - cell;
    residual += Math.abs((1 - part) * real[cells + cell]! + part * real[cells + cell + 1]!);
    density += (1 - part) * imaginary[cells + cell]! + part * imaginary[cells + cell + 1]! + DENSITY_FLOOR;
  }
  return residual / density;
}

/**
 * Transform of the residuals (real) and of the density (imaginary) on `size` points from 0 to 1, each example shared
 * by its two nearest points, mirrored at both ends as far as the kernel reaches.
 */
function gridTransform({ right, wrong }: RankedConfidences, size: number): ComplexSignal {
  const residuals = new Float64Array(size);
  const densities = new Float64Array(size);
  inBlocks(right.length, (first, last) => spread(right.subarray(first, last), 1, residuals, densities));
  inBlocks(wrong.length, (first, last) => spread(wrong.subarray(first, last), 0, residuals, densities));
  const signal = zeroSignal(2 * size - 1);
  const before = size - 1 - (size >> 1);
  for (let i = 0; i < 2 * size - 1; i++) {
    const position = Math.abs(i - before);
    const mirrored = position < size ? position : 2 * (size - 1) - position;
    signal.real[i] = residuals[mirrored]!;
    signal.imaginary[i] = densities[mirrored]!;
  }
  fft(signal);
  return signal;
}

/** Shares the residuals (confidence less `hit`) and counts of examples between the two grid points next to each. */
function spread(confidences: Float64Array, hit: number, residuals: Float64Array, densities: Float64Array): void {
  const cells = residuals.length - 1;
  for (let n = 0; n < confidences.length; n++) {
    const confidence = confidences[n]!;
    const cell = Math.min(Math.floor(confidence * cells), cells - 1);
    const part = confidence * cells - cell;
    const residual = confidence - hit;
    residuals[cell]! += (1 - part) * residual;
    residuals[cell + 1]! += part * residual;
    densities[cell]! += 1 - part;
    densities[cell + 1]! += part;
  }
}

const kernels = new Map<number, ComplexSignal>();

/** Transform of the Gaussian of bandwidth k/1024 on [-0.5, 0.5], once per k. */
function kernelTransform(k: number, size: number): ComplexSignal {
  const known = kernels.get(k);
  if (known !== undefined) return known;
  const bandwidth = k / STEPS;
  const signal = zeroSignal(2 * size - 1);
  for (let j = 0; j < size; j++) {
    const distance = (j / (size - 1) - 0.5) / bandwidth;
    signal.real[j] = Math.exp((-distance * distance) / 2) / (Math.sqrt(2 * Math.PI) * bandwidth);
  }
  fft(signal);
  kernels.set(k, signal);
  return signal;
}
