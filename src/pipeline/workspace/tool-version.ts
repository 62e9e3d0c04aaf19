import { readFileSync } from 'node:fs';
import { packageFile } from '../../files/own-files.js';

/** Read once: a message about an error must not fail because no more files can be opened. */
let version: string | undefined;

/** Version of this package, from its own package.json. */
export function toolVersion(): string {
  if (version === undefined) {
    const text = readFileSync(packageFile('package.json'), 'utf8');
    version = (JSON.parse(text) as { version: string }).version;
  }
  return version;
}
