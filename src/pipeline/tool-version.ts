import { readFileSync } from 'node:fs';

/** Version of this package, from its own package.json (two folders up from src/pipeline and from dist/pipeline alike). */
export function toolVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
