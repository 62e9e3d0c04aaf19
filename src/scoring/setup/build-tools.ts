import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { freeDisk } from '../../files/free-disk.js';
import { nodeLlamaCppFolder } from '../../library/native-versions.js';
import { compilerIsOld, namedCompilerFault, nativeCompiler } from './native-compiler.js';
import type { NvidiaCards } from './nvidia-cards.js';
import { runTool } from './run-tool.js';

export interface BuildTools {
  /** Environment in which all of them are found. */
  readonly environment: NodeJS.ProcessEnv;
  /** The compiler of the kernels, such as "CUDA 13.0" or "GCC 12.2.0". */
  readonly compiler: string;
  /** What is missing, each with what to do; empty when a build can begin. */
  readonly missing: readonly string[];
}

/** Programs one of which must be there, and where they come from. */
const PROGRAMS: readonly { readonly anyOf: readonly string[]; readonly from: string }[] = [
  { anyOf: ['git'], from: 'apt-get install git' },
  { anyOf: ['ninja', 'make'], from: 'apt-get install ninja-build' },
  { anyOf: ['c++', 'g++', 'clang++'], from: 'apt-get install g++' },
  { anyOf: ['node'], from: 'put the folder of Node on the PATH' },
  { anyOf: ['npm'], from: 'put the folder of npm on the PATH' },
];

/** With an older one the library fetches a cmake of its own, which needs a network. */
const LEAST_CMAKE = [3, 19] as const;
const CUDA_FOLDER = '/usr/local/cuda/bin';
/** Sources, objects and libraries: 0.9 GB for one kind of card. */
const CUDA_BYTES = 2e9;
/** Those of a build for a processor. */
const CPU_BYTES = 1e9;

/** Looks for everything that a build for cards calls, before minutes are spent on it. */
export async function cudaBuildTools(cards: NvidiaCards, environment: NodeJS.ProcessEnv): Promise<BuildTools> {
  const paths = [environment.PATH ?? '', ...(environment.CUDA_PATH ? [path.join(environment.CUDA_PATH, 'bin')] : [])];
  const found = { ...environment, PATH: [...paths, CUDA_FOLDER].filter(Boolean).join(path.delimiter) };
  const cuda = /release (\d+\.\d+)/.exec((await runTool('nvcc', ['--version'], found)) ?? '')?.[1] ?? null;
  const missing = await missingTools(found, [compilerFault(cuda, cards)], CUDA_BYTES);
  return { environment: found, compiler: `CUDA ${cuda}`, missing };
}

/** What a build for the processor calls: there the C++ compiler makes the kernels. */
export async function cpuBuildTools(environment: NodeJS.ProcessEnv): Promise<BuildTools> {
  const compiler = await nativeCompiler(environment);
  const faults = [await namedCompilerFault(environment), compilerIsOld(compiler)];
  const missing = await missingTools(environment, faults, CPU_BYTES);
  return { environment, compiler: compiler ?? '', missing };
}

async function missingTools(environment: NodeJS.ProcessEnv, faults: readonly (string | null)[], bytes: number) {
  const programs = await Promise.all(PROGRAMS.map((each) => missingProgram(each, environment)));
  const all = [...programs, await cmakeFault(environment), ...faults, ...(await folderFaults(bytes))];
  return all.flatMap((fault) => fault ?? []);
}

async function missingProgram({ anyOf, from }: (typeof PROGRAMS)[number], environment: NodeJS.ProcessEnv) {
  for (const name of anyOf) if ((await runTool(name, ['--version'], environment)) !== null) return null;
  return `${anyOf.join(' or ')} is not found: ${from}`;
}

async function cmakeFault(environment: NodeJS.ProcessEnv): Promise<string | null> {
  const said = await runTool('cmake', ['--version'], environment);
  const version = /version (\d+)\.(\d+)/.exec(said ?? '');
  const least = LEAST_CMAKE.join('.');
  if (version === null) return `cmake is not found: apt-get install cmake (${least} or later)`;
  const [major, minor] = [Number(version[1]), Number(version[2])];
  const isNew = major > LEAST_CMAKE[0] || (major === LEAST_CMAKE[0] && minor >= LEAST_CMAKE[1]);
  return isNew ? null : `cmake is ${major}.${minor}, needed is ${least} or later: pip install cmake has a current one`;
}

function compilerFault(cuda: string | null, cards: NvidiaCards): string | null {
  const newest = cards.cuda === null ? '' : ` of release ${cards.cuda} or earlier`;
  if (cuda === null)
    return `nvcc is not found: install NVIDIA's CUDA toolkit${newest} and put the folder of nvcc on the PATH`;
  if (cards.cuda === null || Number.parseInt(cuda, 10) <= Number.parseInt(cards.cuda, 10)) return null;
  return `nvcc is ${cuda}, the driver ${cards.driver} runs CUDA${newest}: update the driver, or install that toolkit`;
}

async function folderFaults(bytes: number): Promise<string[]> {
  const folder = path.join(nodeLlamaCppFolder(), 'llama');
  const can = (file: string, mode: number) =>
    access(file, mode).then(
      () => true,
      () => false,
    );
  const free = await freeDisk(folder);
  const sources = (await can(path.join(folder, 'gitRelease.bundle'), constants.R_OK))
    ? []
    : ['the package node-llama-cpp came without its sources: run `npm ci` again'];
  const place = (await can(folder, constants.W_OK)) ? [] : [`the package's folder cannot be written to: ${folder}`];
  const disk =
    free === null || free >= bytes
      ? []
      : [`the build needs ${bytes / 1e9} GB of disk, ${(free / 1e9).toFixed(1)} are free`];
  return [...sources, ...place, ...disk];
}
