import type { Device } from '../contract/device.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { areOptions, BUILD_VARIABLE, type BuildOptions, buildState, PREBUILT } from './library-build.js';

let settled: BuildOptions | null | undefined;

/**
 * The build that processes of this run load on CUDA in place of the prebuilt binary; null: none. Settled once in a
 * process, so that the key of a row and the process that scores it have the same one.
 */
function chosenBuild(): BuildOptions | null {
  if (settled === undefined) settled = findBuild();
  return settled;
}

/** For a command that makes a build, and for tests: the next question is answered anew. */
export function forgetBuild(): void {
  settled = undefined;
}

function findBuild(): BuildOptions | null {
  const said = process.env[BUILD_VARIABLE] ?? '';
  if (said !== '') return said === PREBUILT ? null : parseOptions(said);
  const state = buildState();
  return state.kind === 'used' ? state.build : null;
}

function parseOptions(said: string): BuildOptions {
  let value: unknown = null;
  try {
    value = JSON.parse(said);
  } catch {
    // What is no JSON is no build.
  }
  if (areOptions(value)) return value;
  const expected = `expected ${PREBUILT}, or {"cmake": {...}, "variables": {...}, "compiler": "CUDA 13.0"} as JSON`;
  throw new SupportCalError('usage', `the environment variable ${BUILD_VARIABLE} is ${said}: ${expected}`);
}

/** Which kernels make the numbers of a device, for the key of a row; null: those of the prebuilt binary. */
export function kernelsOf(device: Device): string | null {
  const build = device === 'cuda' ? chosenBuild() : null;
  if (build === null) return null;
  const pairs = (of: Readonly<Record<string, string>>) =>
    Object.keys(of)
      .sort()
      .map((name) => `${name}=${of[name]}`);
  return [...pairs(build.cmake), ...pairs(build.variables), build.compiler].join(' ');
}

/** How the library is asked for the chosen build and for no other one in its place; nothing where there is none. */
export function askForBuild(device: Device) {
  const build = device === 'cuda' ? chosenBuild() : null;
  return build === null ? {} : { cmakeOptions: { ...build.cmake }, existingPrebuiltBinaryMustMatchBuildOptions: true };
}

/** Why the chosen build cannot be had, and what to do. */
export const BUILD_IS_GONE =
  'the build of llama.cpp that `supportcal setup-gpu` made does not start, or is gone (`npm ci` removes it): run ' +
  '`supportcal setup-gpu` again, or set SUPPORTCAL_BUILD=prebuilt for the binary that came with the package';

/** Variables by which a child process is told which build it loads. One that the user has set stays as it is. */
export function buildVariables(build: BuildOptions | null = chosenBuild()): Record<string, string> {
  if (build === null) return { [BUILD_VARIABLE]: PREBUILT };
  const { cmake, variables, compiler } = build;
  const unset = Object.entries(variables).filter(([name]) => process.env[name] === undefined);
  return { ...Object.fromEntries(unset), [BUILD_VARIABLE]: JSON.stringify({ cmake, variables, compiler }) };
}

/** Variables of the user's that would make the library look for another build than the one that was chosen. */
export const STRAY_OPTION = /^NODE_LLAMA_CPP_CMAKE_OPTION_/;
