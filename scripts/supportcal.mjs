import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { freshBuild, root } from './build.mjs';

/*
 * The command line of a checkout, which the npm scripts run: the build of the sources as they are now. Where they have
 * changed since the last one, they are built first, in about a second. `npm run dev -- <command>` runs the sources
 * themselves, with their lines in stack traces.
 *
 * npm starts its scripts in the folder of package.json, wherever the command was given (INIT_CWD): in a project below
 * the checkout, or in a folder of it, that project is meant, not the demo.
 */
const project = process.cwd() === path.resolve(root) ? projectOf(process.env) : null;
if (project !== null) process.chdir(project);
const folder = await freshBuild().catch((error) => {
  process.stderr.write(`error: ${adviceFor(error)}\n`);
  return null;
});
if (folder === null) process.exitCode = 1;
else await import(pathToFileURL(`${folder}/start.mjs`).href);

function adviceFor(error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') return `cannot be built: ${error.message}`;
  if (!existsSync(`${root}node_modules/yaml`)) return `the packages are not installed; run npm ci in ${root}`;
  const smaller = 'npm prune --omit=dev makes the folder small again, and the build stays';
  return `nothing is built, and esbuild, which builds it, is not installed; run npm ci in ${root} (${smaller})`;
}

/** The nearest folder with models.yaml around where npm was called; null: none, or npm runs another package. */
function projectOf({ INIT_CWD: given, npm_package_json: file }) {
  // Its script has gone into this checkout before it started this file.
  const isOwn = file === undefined || (existsSync(file) && realpathSync(path.dirname(file)) === realpathSync(root));
  if (given === undefined || !isOwn) return null;
  let folder = path.resolve(given);
  while (!existsSync(path.join(folder, 'models.yaml'))) {
    const above = path.dirname(folder);
    if (above === folder || folder === path.resolve(root)) return null;
    folder = above;
  }
  return folder;
}
