import type { TargetCalibration } from '../../calibration/calibrate-target.js';
import { type NestedResamples, nestedBootstrap } from '../../inference/nested-bootstrap.js';
import type { ResampleDesign } from '../../inference/resampled-splits.js';
import { resampledMethods } from './resampled-methods.js';
import { prepareCalibration, type TargetJob } from './target-runs.js';

/** A target whose methods are fitted again on resamples of its examples. */
export interface RefitWork {
  readonly job: TargetJob;
  /** Flags of the rows that no fit takes, see `certainRows`. */
  readonly certain: Uint8Array | null;
  readonly design: ResampleDesign;
}

/** Every `of`-th method from number `part` on. */
export interface RefitShare extends RefitWork {
  readonly part: number;
  readonly of: number;
}

export interface RefittedMethod {
  readonly method: string;
  readonly combinationSize: number | null;
  readonly nested: NestedResamples;
}

/** A thread that takes shares. */
export interface RefitHelper {
  /** Fits a share of a target's methods on resamples; null: it could not. */
  refit(work: RefitShare): Promise<readonly RefittedMethod[] | null>;
}

/** Visits of rows (examples x splits x resamples x columns) that pay for handing methods to a thread: about 0.3 s. */
const LEAST_SHARED = 10_000_000;

/**
 * Every method of a target on the same resamples, in the order of the suite and the same to the bit whatever the number
 * of threads: each thread makes the draws for itself and fits its share of the methods. This thread's share is done
 * when the call returns; what a helping thread could not do is done here, so that a fault is raised as without threads.
 */
export async function refitTarget(
  work: RefitWork,
  calibration: TargetCalibration,
  threads: readonly RefitHelper[] = [],
): Promise<RefittedMethod[]> {
  const helpers = rowVisits(work) < LEAST_SHARED ? [] : threads;
  const of = helpers.length + 1;
  const helped = helpers.map((helper, n) => helper.refit({ ...work, part: n + 1, of }));
  const parts: (readonly RefittedMethod[])[] = [refitShare({ ...work, part: 0, of }, calibration)];
  for (const [n, each] of helped.entries())
    parts.push((await each) ?? refitShare({ ...work, part: n + 1, of }, calibration));
  const count = parts.reduce((sum, { length }) => sum + length, 0);
  return Array.from({ length: count }, (_, n) => parts[n % of]?.[Math.floor(n / of)]).filter(
    (each) => each !== undefined,
  );
}

/** The share of one thread. */
export function refitShare(
  { job, certain, design, part, of }: RefitShare,
  calibration: TargetCalibration = prepareCalibration(job),
): RefittedMethod[] {
  const methods = resampledMethods(job, calibration, certain).filter((_, n) => n % of === part);
  const found = nestedBootstrap(
    methods.map(({ resampling }) => resampling),
    design,
    job.suite.binning,
  );
  return methods.flatMap(({ method, combinationSize }, n) => {
    const nested = found[n];
    return nested === undefined ? [] : [{ method, combinationSize, nested }];
  });
}

function rowVisits({ job: { suite, combinationSizes }, design }: RefitWork): number {
  const columns = suite.methods.length + combinationSizes.length;
  return design.clusters.length * design.splits * design.resamples * columns;
}
