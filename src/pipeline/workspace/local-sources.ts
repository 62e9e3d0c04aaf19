import type { LoadedDatasetSpec } from '../../config/load-dataset-specs.js';
import { overrideSource, type SourceOverride } from '../../datasets/source/override-source.js';
import { nearest } from '../../errors/nearest.js';
import { SupportCalError } from '../../errors/supportcal-error.js';

/**
 * The data sets with the local files that a run names for them; a name that is none of theirs is a usage fault.
 *
 * @param others ids of data sets that are no mistake, but could not be read
 */
export function withLocalSources(
  specs: readonly LoadedDatasetSpec[],
  sources: ReadonlyMap<string, SourceOverride> = new Map(),
  others: readonly string[] = [],
): LoadedDatasetSpec[] {
  const ids = [...new Set([...specs.map((spec) => spec.id), ...others])];
  for (const id of sources.keys()) {
    if (!ids.includes(id)) throw new SupportCalError('usage', `--source: no data set "${id}" here${nearest(id, ids)}`);
  }
  return specs.map((spec) => {
    const source = sources.get(spec.id);
    return source === undefined ? spec : overrideSource(spec, source);
  });
}
