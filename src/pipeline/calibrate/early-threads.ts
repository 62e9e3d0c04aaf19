import type { Workspace } from '../workspace/workspace.js';
import { KeptCalibrations } from './kept-calibration.js';
import { helpersFor, openThreads, type SplitThreads } from './split-threads.js';

/** Rows of a data set whose rows are all imported, before the imports are read. */
const LIKELY_EXAMPLES = 1000;

/**
 * The threads that a calibration will likely want, begun before its scores are read: a processor would have nothing to
 * do meanwhile. undefined: none, also where an earlier calibration may stand in for this one.
 */
export function openEarly({ suite, datasets, options }: Workspace): SplitThreads | undefined {
  const kept = new KeptCalibrations({ cache: options.cache });
  const sizes = datasets.map(({ spec, content }) => ({
    dataset: spec.id,
    examples: content?.dataset.examples.length ?? LIKELY_EXAMPLES,
  }));
  const ids = sizes.map(({ dataset }) => dataset);
  const count = kept.mayHave(suite, ids) ? 0 : helpersFor(suite, sizes, options.threads);
  return count === 0 ? undefined : openThreads(count, suite);
}
