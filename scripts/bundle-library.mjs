import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const LIBRARY = /[\\/]node_modules[\\/]node-llama-cpp[\\/]dist[\\/].*\.js$/;

/*
 * node-llama-cpp inside of the modules that child processes start with. Finding and reading its 500 files takes 0.35 s
 * of processor time, and each scored model, each inspected file and each probe of a card has a process of its own.
 * Its native code stays where it is installed, and is found as if the package asked for it itself.
 */
export function bundledLibrary() {
  const version = versionBeside(require.resolve('node-llama-cpp'));
  return {
    // What follows is only reached by commands of the package that are never called.
    external: ['@reflink/*', 'electron'],
    banner: `import { readFileSync as ownRead } from 'node:fs';
import { pathToFileURL as ownAddress } from 'node:url';
const library = ownAddress(require.resolve('node-llama-cpp'));
const ofLibrary = (name) => new URL(name, library).href;
const besideLibrary = (name) => ownAddress(ownRequire(library).resolve(name)).href;
const libraryVersion = JSON.parse(ownRead(new URL('../package.json', library), 'utf8')).version;
if (libraryVersion !== '${version}')
  throw new Error(
    \`SupportCal was built with node-llama-cpp ${version}, and \${libraryVersion} is installed: run npm install again\`,
  );`,
    plugins: [{ name: 'bundled-library', setup: ({ onLoad }) => onLoad({ filter: LIBRARY }, withItsOwnPlace) }],
  };
}

/** What a file of the package says of its own place is said of where it is installed. */
function withItsOwnPlace({ path: file }) {
  const name = file.split(/[\\/]node-llama-cpp[\\/]dist[\\/]/).at(-1);
  const contents = readFileSync(file, 'utf8')
    .replaceAll('import.meta.url', `ofLibrary(${JSON.stringify(name.replaceAll('\\', '/'))})`)
    .replaceAll(/\bimport\(("@node-llama-cpp\/[^"]+")\)/g, 'import(besideLibrary($1))');
  return { contents, loader: 'js' };
}

function versionBeside(entry) {
  return JSON.parse(readFileSync(new URL('../package.json', pathToFileURL(entry)), 'utf8')).version;
}
