import { runTool } from './run-tool.js';

/**
 * The first GCC that keeps the sums of a product of 16-bit numbers in registers. GCC 11, by which the prebuilt binary
 * was made, writes all of them to memory at every step: half the speed (bench/README.md).
 */
const LEAST_GCC = 12;

/** The C++ compiler that cmake takes, with its version, such as "GCC 12.2.0"; null: none is found. */
export async function nativeCompiler(environment: NodeJS.ProcessEnv): Promise<string | null> {
  const named = environment.CXX;
  for (const name of named ? [named] : ['c++', 'g++', 'clang++']) {
    const said = await runTool(name, ['--version'], environment);
    if (said !== null) return compilerIn(said);
  }
  return null;
}

/** Which of the compilers that the environment names is none; null: each is one, or none is named. */
export async function namedCompilerFault(environment: NodeJS.ProcessEnv): Promise<string | null> {
  // Microsoft's compiler answers in a way of its own.
  if (process.platform === 'win32') return null;
  for (const variable of ['CC', 'CXX'] as const) {
    const named = environment[variable]?.trim();
    if (!named) continue;
    const [program = named, ...flags] = named.split(/\s+/);
    const target = await runTool(program, [...flags, '-dumpmachine'], environment);
    if (target === null || !TARGET.test(target))
      return `${variable} names no compiler: "${named}" does not start, or says nothing to -dumpmachine; name another or unset it`;
  }
  return null;
}

/** As GCC and clang name the machine that they compile for. */
const TARGET = /^[\w.]+(-[\w.]+)+$/m;

function compilerIn(said: string): string {
  const [line = ''] = said.split('\n');
  const version = /(\d+(?:\.\d+)+)/;
  const clang = /clang version (\d+(?:\.\d+)*)/.exec(line)?.[1];
  if (clang !== undefined) return `${line.startsWith('Apple') ? 'Apple clang' : 'clang'} ${clang}`;
  // What stands in brackets is the distribution's own number of its package.
  const gcc = version.exec(line.replace(/\([^)]*\)/g, ''))?.[1];
  return gcc === undefined ? line : `GCC ${gcc}`;
}

/** Why a build by this compiler would bring nothing; null: it may. */
export function compilerIsOld(compiler: string | null): string | null {
  const major = /^GCC (\d+)/.exec(compiler ?? '')?.[1];
  if (major === undefined || Number(major) >= LEAST_GCC) return null;
  return (
    `the compiler is ${compiler}, by which a build is no faster than the binary that came with the package: install ` +
    `GCC ${LEAST_GCC} or later, or clang, and name it (CC=gcc-${LEAST_GCC} CXX=g++-${LEAST_GCC})`
  );
}
