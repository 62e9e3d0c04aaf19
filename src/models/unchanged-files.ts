import type { ModelSpec } from '../config/models-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { fileStamp } from '../files/file-hash-cached.js';
import { sha256OfFile } from '../files/sha256-of-file.js';
import type { HashedModel } from './hash-model-files.js';

/**
 * A check that a model's files are still those that its cache key was made from; a file that was touched is read again.
 * Called before rows are stored, so that a file which is replaced during a run gives no rows under the old key.
 *
 * @throws SupportCalError bad-input
 */
export function unchangedFiles({ seen }: Pick<HashedModel, 'seen'>, model: Pick<ModelSpec, 'id'>): () => Promise<void> {
  const stamps = seen.map(({ stamp }) => stamp);
  return async () => {
    for (const [n, { path, sha256 }] of seen.entries()) {
      const stamp = await fileStamp(path).catch(() => null);
      if (stamp === stamps[n]) continue;
      if (stamp === null || (await sha256OfFile(path)) !== sha256) {
        const message =
          `the file was changed or removed while "${model.id}" was being scored; what was scored before is kept. ` +
          'Run again to score with the file as it is now';
        throw new SupportCalError('bad-input', { file: path, message });
      }
      stamps[n] = stamp;
    }
  };
}
