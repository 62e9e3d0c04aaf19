import type { DatasetSourceYaml } from '../../config/source-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { SourceFile } from '../../formats/row/source-row.js';
import { fetchHubDataset } from '../../hub/fetch-hub-dataset.js';
import type { HubAccess } from '../../hub/hub-access.js';
import type { DatasetSpec } from '../example/dataset-spec.js';

/** Local copies of hub files, and what they are copies of. */
export interface HubSource {
  readonly files: readonly SourceFile[];
  /** `hub owner/name@<commit> <file> <hash>`, one for each file. */
  readonly origin: readonly string[];
}

/** Paired text files of a hub data set go by field; the others are rows one file after the other. */
export function hubFileNames({ files }: DatasetSourceYaml): { fields: string[] | null; names: string[] | null } {
  if (files === undefined) return { fields: null, names: null };
  return Array.isArray(files)
    ? { fields: null, names: files }
    : { fields: Object.keys(files), names: Object.values(files) };
}

/**
 * Fetches the files of a `hub` source unless they are here already.
 *
 * @throws SupportCalError missing-file, at the YAML line of the source; interrupted
 */
export async function fetchHubSource(
  spec: DatasetSpec,
  source: DatasetSourceYaml,
  hub: HubAccess | undefined,
): Promise<HubSource> {
  const fail = (message: string) => {
    const at = ['source', 'hub'];
    return new SupportCalError('missing-file', { file: spec.file, ...spec.locate(at), field: at.join('.'), message });
  };
  const { hub: name } = source;
  if (hub === undefined || name === undefined) throw fail('no access to the hub was given; name a local `path`');
  const { names } = hubFileNames(source);
  try {
    const files = await fetchHubDataset(
      {
        name,
        revision: source.revision,
        config: source.config,
        rows: names === null ? { split: source.split ?? '' } : { files: names },
      },
      hub,
    );
    return {
      files,
      origin: files.map(({ repository, commit, listed }) => {
        const hash = listed.sha256 === null ? `git:${listed.blobSha1}` : `sha256:${listed.sha256}`;
        return `hub ${repository.name}@${commit} ${listed.path} ${hash}`;
      }),
    };
  } catch (error) {
    if (!(error instanceof SupportCalError) || error.code !== 'missing-file') throw error;
    throw fail(`${error.message}; rows that you have already: --source ${spec.id}=FILE`);
  }
}
