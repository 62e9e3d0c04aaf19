import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { writeFileAtomic } from '../files/write-file-atomic.js';
import { llamaCppRelease, nodeLlamaCppFolder, nodeLlamaCppVersion } from './native-versions.js';

/** What decides the kernels of a build of llama.cpp that `supportcal setup-gpu` has made on this machine. */
export interface BuildOptions {
  /** The library finds the build by these. */
  readonly cmake: Readonly<Record<string, string>>;
  /** Variables that its processes are started with. */
  readonly variables: Readonly<Record<string, string>>;
  /** Compiler of the card's kernels with its version, such as "CUDA 13.0": its libraries bring kernels too. */
  readonly compiler: string;
}

/** A build that decoded when it was tried. */
export interface LibraryBuild extends BuildOptions {
  readonly nodeLlamaCpp: string;
  readonly llamaCppRelease: string;
  /** The folder among the library's local builds, by its name alone. */
  readonly folder: string;
  readonly card: string;
  readonly driver: string;
  readonly builtAt: string;
}

/** used: runs on CUDA take it; gone: it was removed (`npm ci` does that); outdated: the package is another one now. */
export type BuildState =
  | { readonly kind: 'none' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'used' | 'gone' | 'outdated'; readonly build: LibraryBuild };

/** `prebuilt`: no build of one's own is used; options as JSON: this one, as a parent process tells its children. */
export const BUILD_VARIABLE = 'SUPPORTCAL_BUILD';
export const PREBUILT = 'prebuilt';

/** Where the builds are recorded, by the package that they lie in. */
function buildsFile(environment: NodeJS.ProcessEnv): string {
  const caches = environment.XDG_CACHE_HOME || path.join(homedir(), '.cache');
  return path.join(caches, 'supportcal', 'library-builds.json');
}

/** The build that is recorded for the package of this installation, and whether it can be used. */
export function buildState(environment: NodeJS.ProcessEnv = process.env): BuildState {
  const build = readAll(buildsFile(environment))[nodeLlamaCppFolder()];
  if (build === undefined) return { kind: 'none' };
  if (environment[BUILD_VARIABLE] === PREBUILT) return { kind: 'refused' };
  if (build.nodeLlamaCpp !== nodeLlamaCppVersion() || build.llamaCppRelease !== llamaCppRelease())
    return { kind: 'outdated', build };
  return { kind: existsSync(path.join(localBuilds(), build.folder, 'buildDone.status')) ? 'used' : 'gone', build };
}

/** Folder of the library's local builds. */
export function localBuilds(): string {
  return path.join(nodeLlamaCppFolder(), 'llama', 'localBuilds');
}

/** Puts a build on record; null takes it off. */
export async function recordBuild(build: LibraryBuild | null, environment = process.env): Promise<void> {
  const file = buildsFile(environment);
  const { [nodeLlamaCppFolder()]: _, ...others } = readAll(file);
  const all = build === null ? others : { ...others, [nodeLlamaCppFolder()]: build };
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

export function areOptions(value: unknown): value is BuildOptions {
  const { cmake, variables, compiler } = Object(value) as Record<string, unknown>;
  return [cmake, variables].every(isTexts) && typeof compiler === 'string';
}

function isTexts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every((each) => typeof each === 'string');
}
