import { pathToFileURL } from 'node:url';
import { freshBuild, root } from './build.mjs';

/*
 * The command line of a checkout, which the npm scripts run: the build of the sources as they are now. Where they have
 * changed since the last one, they are built first, in about a second. `npm run dev -- <command>` runs the sources
 * themselves, with their lines in stack traces.
 */
const folder = await freshBuild().catch((error) => {
  const isAbsent = error.code === 'ERR_MODULE_NOT_FOUND';
  const advice = isAbsent
    ? `the packages are not installed; run npm ci in ${root}`
    : `cannot be built: ${error.message}`;
  process.stderr.write(`error: ${advice}\n`);
  return null;
});
if (folder === null) process.exitCode = 1;
else await import(pathToFileURL(`${folder}/start.mjs`).href);
