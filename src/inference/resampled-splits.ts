import { drawCounts } from '../numeric/random/draw-counts.js';
import { type SeededGenerator, seededGenerator } from '../numeric/random/seeded-generator.js';
import { uniformDraw } from './law/normal-draws.js';

/** How data sets are drawn and split. */
export interface ResampleDesign {
  /** N cluster numbers from 0, one per row: copies of a text are one cluster. */
  readonly clusters: Int32Array;
  readonly clusterCount: number;
  readonly calibrationFraction: number;
  /** Splits of each resample. */
  readonly splits: number;
  readonly resamples: number;
  readonly seed: number;
}

/** One split of one resample: the rows that were drawn, each with how often. The arrays are used again. */
export interface ResampledSplit {
  readonly calibration: Int32Array;
  readonly evaluation: Int32Array;
  /** N multiplicities. */
  readonly counts: Float64Array;
}

/** Far enough apart that the seeds of two suites' resamples do not meet. */
const SEED_STEP = 7919;

/**
 * Nested bootstrap (Efron 1979, of clusters as in Cameron, Gelbach and Miller 2008): clusters are drawn with
 * replacement, and every resample is split anew, as the pipeline splits the data (Sec. experiments). All copies of a
 * drawn cluster stay on one side, or the evaluation would hold what was fitted on. The calibration side is filled until
 * it has calibrationFraction of the drawn rows. The same seed visits the same splits, so that methods and targets can
 * be compared: each resample has a generator of its own, so that a target that lacks an example, and so takes more or
 * fewer draws to fill a side, is back in step at the next one.
 */
export function resampledSplits(
  design: ResampleDesign,
  visit: (split: ResampledSplit, resample: number, splitNumber: number) => void,
): void {
  const { clusters, clusterCount, calibrationFraction, splits, resamples } = design;
  const sizes = new Int32Array(clusterCount);
  for (const cluster of clusters) sizes[cluster] = (sizes[cluster] ?? 0) + 1;
  const drawn = new Float64Array(clusterCount);
  const order = new Int32Array(clusterCount);
  const sides = new SidesOfRows(clusters);
  for (let r = 0; r < resamples; r++) {
    const generator = seededGenerator(design.seed + SEED_STEP * r);
    drawn.fill(0);
    drawCounts(generator, clusterCount, drawn);
    let [total, found] = [0, 0];
    for (let c = 0; c < clusterCount; c++) {
      total += (drawn[c] ?? 0) * (sizes[c] ?? 0);
      if ((drawn[c] ?? 0) > 0) order[found++] = c;
    }
    const filling = { order: order.subarray(0, found), drawn, sizes, capacity: calibrationFraction * total };
    for (let s = 0; s < splits; s++) visit(sides.split(drawn, chosenClusters(filling, generator)), r, s);
  }
}

interface Filling {
  /** The clusters that were drawn; their order is changed. */
  readonly order: Int32Array;
  readonly drawn: Float64Array;
  readonly sizes: Int32Array;
  readonly capacity: number;
}

/** 1 for the clusters that are drawn one by one until the calibration side is full. */
function chosenClusters({ order, drawn, sizes, capacity }: Filling, generator: SeededGenerator): Uint8Array {
  const chosen = new Uint8Array(drawn.length);
  let taken = 0;
  for (let i = 0; i < order.length && taken < capacity; i++) {
    const j = i + Math.floor(uniformDraw(generator) * (order.length - i));
    const cluster = order[j] ?? 0;
    order[j] = order[i] ?? 0;
    order[i] = cluster;
    chosen[cluster] = 1;
    taken += (drawn[cluster] ?? 0) * (sizes[cluster] ?? 0);
  }
  return chosen;
}

/** Rows stay in their order: those of a random one would be fetched from all over the memory. */
class SidesOfRows {
  readonly #clusters: Int32Array;
  readonly #counts: Float64Array;
  readonly #calibration: Int32Array;
  readonly #evaluation: Int32Array;

  constructor(clusters: Int32Array) {
    this.#clusters = clusters;
    this.#counts = new Float64Array(clusters.length);
    this.#calibration = new Int32Array(clusters.length);
    this.#evaluation = new Int32Array(clusters.length);
  }

  split(drawn: Float64Array, chosen: Uint8Array): ResampledSplit {
    const [clusters, counts, calibration, evaluation] = [
      this.#clusters,
      this.#counts,
      this.#calibration,
      this.#evaluation,
    ];
    let [fitted, measured] = [0, 0];
    for (let n = 0; n < clusters.length; n++) {
      const cluster = clusters[n] ?? 0;
      const count = drawn[cluster] ?? 0;
      counts[n] = count;
      if (count === 0) continue;
      if (chosen[cluster] === 1) calibration[fitted++] = n;
      else evaluation[measured++] = n;
    }
    return { calibration: calibration.subarray(0, fitted), evaluation: evaluation.subarray(0, measured), counts };
  }
}
