import { availableParallelism } from 'node:os';
import type { SuitePlan } from '../config/plan-suite.js';
import { startsFast } from '../files/startable-module.js';

/** Evaluated examples (examples x seeds x columns, of all targets) that pay for a thread that starts fast, or through tsx: see bench/README.md. */
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
  plan: SuitePlan,
  datasets: ReadonlyArray<{ readonly dataset: string; readonly examples: number }>,
  asked?: number,
  start: keyof typeof LEAST_WORK = startsFast(import.meta.url, 'split-worker') ? 'fast' : 'slow',
): number {
  if (plan.ownMethods.length > 0) return 0;
  const works = datasets.flatMap(({ dataset, examples }) =>
    plan.targetsOf(dataset).map(({ referencePool }) => ({
      work: examples * plan.seeds.length * (plan.methods.length + plan.combinationSizes(dataset).length),
      bytes: examples * bytesPerExample(referencePool.length),
    })),
  );
  const room = Math.floor(MOST_BYTES / Math.max(...works.map(({ bytes }) => bytes)));
  const paid = Math.floor(works.reduce((sum, { work }) => sum + work, 0) / LEAST_WORK[start]);
  const helpers = asked === undefined ? Math.min(availableParallelism() - 1, paid) : asked - 1;
  return Math.max(0, Math.min(helpers, plan.seeds.length - 1, room));
}
