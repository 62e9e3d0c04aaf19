import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import { llamaCppRelease, nodeLlamaCppFolder, nodeLlamaCppVersion } from './native-versions.js';
import { processorName } from './processor-name.js';

/** Devices that llama.cpp is built for: `supportcal setup-gpu` and `supportcal setup-cpu` do it. */
export type BuildDevice = 'cuda' | 'cpu';
export const BUILD_DEVICES: readonly BuildDevice[] = ['cuda', 'cpu'];

/** What decides the kernels of a build of llama.cpp that was made on this machine. */
export interface BuildOptions {
  /** Absent in what was written before there were builds for the CPU: cuda. */
  readonly device?: BuildDevice;
  /** The library finds the build by these. */
  readonly cmake: Readonly<Record<string, string>>;
  /** Variables that its processes are started with. */
  readonly variables: Readonly<Record<string, string>>;
  /**
   * Compiler of the kernels with its version, such as "CUDA 13.0" (its libraries bring kernels too), or "GCC 12.2.0
   * for EPYC".
   */
  readonly compiler: string;
  /**
   * The file of our own reader of logits among the local builds, `FOLDER/Release/NAME.node`, whose name says which
   * arithmetic it has; absent: the library reads.
   */
  readonly reader?: string;
  /**
   * The file of our own choice of who multiplies, likewise, in a build with cuBLAS products; absent: cuBLAS multiplies
   * all but a few tokens.
   */
  readonly products?: string;
}

/** The cmake option that makes cuBLAS multiply the matrices of quantised files. */
export const CUBLAS_PRODUCTS = 'GGML_CUDA_FORCE_CUBLAS';

/** The file of code of our own as `BuildOptions` has it, or why there is none. */
export type CompiledAddon = { readonly file: string } | { readonly fault: string };

/** A build that decoded when it was tried. */
export interface LibraryBuild extends BuildOptions {
  readonly nodeLlamaCpp: string;
  readonly llamaCppRelease: string;
  /** The folder among the library's local builds, by its name alone. */
  readonly folder: string;
  /** The cards, or the processor (`processorName`), that it was made for. */
  readonly card: string;
  /** Version of the cards' driver; empty for a processor. */
  readonly driver: string;
  readonly builtAt: string;
}

/**
 * used: runs on its device take it; gone: it was removed (`npm ci` does that); outdated: the package is another one
 * now; foreign: it was made for another processor, whose instructions this one may not have.
 */
export type BuildState =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'used' | 'gone' | 'outdated' | 'foreign'; readonly build: LibraryBuild };

/** `prebuilt`: no build of one's own is used; options as JSON, one or a list: these, as a process tells children. */
export const BUILD_VARIABLE = 'SUPPORTCAL_BUILD';
export const PREBUILT = 'prebuilt';

/** Where the builds are recorded, by the package that they lie in. */
function buildsFile(environment: NodeJS.ProcessEnv): string {
  const caches = environment.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  return path.join(caches, 'supportcal', 'library-builds.json');
}

/** The build that is recorded for a device and the package of this installation, and whether it can be used. */
export function buildState(device: BuildDevice, environment: NodeJS.ProcessEnv = process.env): BuildState {
  const build = readAll(buildsFile(environment))[entryOf(device)];
  if (build === undefined) return { kind: 'none' };
  if (environment[BUILD_VARIABLE] === PREBUILT) return { kind: 'refused' };
  if (build.nodeLlamaCpp !== nodeLlamaCppVersion() || build.llamaCppRelease !== llamaCppRelease())
    return { kind: 'outdated', build };
  if (!filesOf(build).every((file) => existsSync(path.join(localBuilds(), file)))) return { kind: 'gone', build };
  return { kind: device === 'cpu' && build.card !== processorName() ? 'foreign' : 'used', build };
}

/** What must be there of a build: making it anew may end between llama.cpp and our own code beside it. */
function filesOf({ folder, reader, products }: LibraryBuild): string[] {
  return [path.join(folder, 'buildDone.status'), reader, products].filter((file) => file !== undefined);
}

/** The name of a record: the package's folder alone was that of CUDA's before there were builds for the CPU. */
function entryOf(device: BuildDevice): string {
  return device === 'cuda' ? nodeLlamaCppFolder() : `${nodeLlamaCppFolder()} (${device})`;
}

/** Folder of the library's local builds. */
export function localBuilds(): string {
  return path.join(nodeLlamaCppFolder(), 'llama', 'localBuilds');
}

/** Puts the build for a device on record; null takes it off. */
export async function recordBuild(
  device: BuildDevice,
  build: LibraryBuild | null,
  environment = process.env,
): Promise<void> {
  const file = buildsFile(environment);
  const { [entryOf(device)]: _, ...others } = readAll(file);
  const all = build === null ? others : { ...others, [entryOf(device)]: build };
  await writeFileAtomic(file, `${JSON.stringify(all, null, 2)}\n`);
}

/** A record that cannot be read is none: the prebuilt binary is there in any case. */
function readAll(file: string): Record<string, LibraryBuild> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).filter(([, build]) => isBuild(build)));
  } catch {
    return {};
  }
}

function isBuild(value: unknown): value is LibraryBuild {
  const texts = Object(value) as Record<string, unknown>;
  const names = ['nodeLlamaCpp', 'llamaCppRelease', 'folder', 'card', 'driver', 'builtAt'];
  return (
    areOptions(value) &&
    names.every((name) => typeof texts[name] === 'string') &&
    path.basename(String(texts.folder)) === texts.folder
  );
}

/** Files of native code are loaded by these: nothing outside the local builds. */
const READER_FILE = /^[\w-]+\/Release\/supportcal-reader-\d+\.node$/;
const PRODUCTS_FILE = /^[\w-]+\/Release\/supportcal-products-\d+\.node$/;

export function areOptions(value: unknown): value is BuildOptions {
  const { device = 'cuda', cmake, variables, compiler, reader, products } = Object(value) as Record<string, unknown>;
  const isKnown = BUILD_DEVICES.some((each) => each === device);
  const areFiles = isFile(reader, READER_FILE) && isFile(products, PRODUCTS_FILE);
  return isKnown && areFiles && [cmake, variables].every(isTexts) && typeof compiler === 'string';
}

/** Text alone: a list of one text reads like it and is no path. */
function isFile(value: unknown, pattern: RegExp): boolean {
  return value === undefined || (typeof value === 'string' && pattern.test(value));
}

function isTexts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}
