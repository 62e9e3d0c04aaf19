import { redactSecrets } from '../errors/redact-secrets.js';
import type { Results } from '../report/results-schema.js';
import type { Workspace } from './load-workspace.js';

/** Where the methods of one's own came from, for results.json and manifest.json. */
export function methodFilesOf({ methodFiles }: Pick<Workspace, 'methodFiles'>): Results['protocol']['methodFiles'] {
  return methodFiles.map(({ file, sha256, methods }) => ({
    file: redactSecrets(file),
    sha256,
    methods: methods.map(({ name }) => name),
  }));
}
