import { readFileSync } from 'node:fs';

/** Read once: a message about an error must not fail because no more files can be opened. */
let version: string | undefined;

/**
 * Version of this package, from its own package.json (two folders up from src/pipeline and from dist/pipeline alike).
 */
export function toolVersion(): string {
  if (version === undefined) {
    const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
    version = (JSON.parse(text) as { version: string }).version;
  }
  return version;
}
