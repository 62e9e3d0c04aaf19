import type { LoadedDatasetSpec } from '../../config/load-dataset-specs.js';
import { overrideSource, type SourceOverride } from '../../datasets/source/override-source.js';
import { nearest } from '../../errors/nearest.js';
import { SupportCalError } from '../../errors/supportcal-error.js';

/**
 * Refuses sources for data sets that a run does not have.
 *
 * @param others ids of data sets that are no mistake, but could not be read
 * @throws SupportCalError usage, with every such name
 */
export function checkLocalSources(
  specs: readonly LoadedDatasetSpec[],
  sources: ReadonlyMap<string, SourceOverride> = new Map(),
  others: readonly string[] = [],
): void {
  const ids = [...new Set([...specs.map((spec) => spec.id), ...others])];
  const unknown = [...sources.keys()].filter((id) => !ids.includes(id));
  if (unknown.length === 0) return;
  const faults = unknown.map((id) => ({ message: `--source: no data set "${id}" here${nearest(id, ids)}` }));
  throw new SupportCalError('usage', faults);
}

/** The data sets with the local files that a run names for them. */
export function withLocalSources(
  specs: readonly LoadedDatasetSpec[],
  sources: ReadonlyMap<string, SourceOverride> = new Map(),
): LoadedDatasetSpec[] {
  return specs.map((spec) => {
    const source = sources.get(spec.id);
    return source === undefined ? spec : overrideSource(spec, source);
  });
}
