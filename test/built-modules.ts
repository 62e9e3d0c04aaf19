import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vite';
import type { TestProject } from 'vitest/node';

export { ownBuild, packageFile } from '../src/files/own-files.js';

const VARIABLE = 'SUPPORTCAL_TESTED_BUILD';

/**
 * Builds what threads and child processes run before the tests begin. A source that another process starts needs tsx,
 * which takes longer there than most tests; the build is made of the same sources, and anew when one has changed.
 */
export default async function buildModules(_project: TestProject): Promise<void> {
  const { freshBuild } = (await import('../scripts/build.mjs' as string)) as { freshBuild(): Promise<string> };
  process.env[VARIABLE] ??= await freshBuild();
}

/** Takes the place of `ownModule` in the sources that are tested: the built file in place of the source. */
export function ownModule(name: string): URL {
  return pathToFileURL(path.join(process.env[VARIABLE] ?? '', `${path.posix.basename(name)}.js`));
}

/** Lets the sources that start threads and processes take them from this module. */
export function builtModules(): Plugin {
  return {
    name: 'built-modules',
    enforce: 'pre',
    resolveId: (source, importer) =>
      source.endsWith('/files/own-files.js') && importer?.includes('/src/') ? import.meta.filename : null,
  };
}
