import type { ModelSpec } from '../../config/models-schema.js';
import type { ModelSource } from '../../contract/source.js';
import type { SourceWorkspace } from '../../models/model-places.js';

/** Scores that another program made (`supportcal import`): they are in the cache, or there is no way to them. */
export function importedSource({ models }: Pick<SourceWorkspace, 'models'>, { id }: ModelSpec): ModelSource {
  const advice = `supportcal import FILE --model ${id} ...`;
  const reason = `"${id}" has no file in ${models.file} and no imported scores (${advice})`;
  return {
    kind: 'imported',
    can: new Set(),
    needs: { device: false, network: false },
    lookUp: async () => null,
    find: async () => ({ reason }),
    fetch: async () => null,
    score: null,
  };
}
