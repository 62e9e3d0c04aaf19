import path from 'node:path';
import type { Device } from '../contract/device.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import {
  areOptions,
  BUILD_DEVICES,
  BUILD_VARIABLE,
  type BuildDevice,
  type BuildOptions,
  buildState,
  CUBLAS_PRODUCTS,
  localBuilds,
  PREBUILT,
} from './library-build.js';

let settled: readonly BuildOptions[] | undefined;

/**
 * The builds that processes of this run load in place of the prebuilt binaries, at most one for a device. Settled once
 * in a process, so that the key of a row and the process that scores it have the same one.
 */
function chosenBuilds(): readonly BuildOptions[] {
  if (settled === undefined) settled = findBuilds();
  return settled;
}

/** For a command that makes a build, and for tests: the next question is answered anew. */
export function forgetBuild(): void {
  settled = undefined;
}

function findBuilds(): readonly BuildOptions[] {
  const said = process.env[BUILD_VARIABLE] ?? '';
  if (said !== '') return said === PREBUILT ? [] : parseOptions(said);
  return BUILD_DEVICES.flatMap((device) => {
    const state = buildState(device);
    return state.kind === 'used' ? [state.build] : [];
  });
}

function parseOptions(said: string): readonly BuildOptions[] {
  let value: unknown = null;
  try {
    value = JSON.parse(said);
  } catch {
    // What is no JSON is no build.
  }
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.length > 0 && all.every(areOptions)) return all;
  const expected =
    `expected ${PREBUILT}, or {"device": "cuda", "cmake": {...}, "variables": {...}, "compiler": "CUDA 13.0"} as ` +
    'JSON, or a list of such';
  throw new SupportCalError('usage', `the environment variable ${BUILD_VARIABLE} is ${said}: ${expected}`);
}

function chosenBuild(device: Device): BuildOptions | null {
  return chosenBuilds().find((build) => (build.device ?? 'cuda') === device) ?? null;
}

/** Which kernels make the numbers of a device, for the key of a row; null: those of the prebuilt binary. */
export function kernelsOf(device: Device): string | null {
  const build = chosenBuild(device);
  if (build === null) return null;
  const pairs = (of: Readonly<Record<string, string>>) =>
    Object.keys(of)
      .sort()
      .map((name) => `${name}=${of[name]}`);
  const own = [build.reader, build.products].flatMap((file) =>
    file === undefined ? [] : [path.basename(file, '.node')],
  );
  return [...pairs(build.cmake), ...pairs(build.variables), build.compiler, ...own].join(' ');
}

/** How cuBLAS and llama.cpp's own kernels share the quantised matrices in a build for CUDA. */
export interface CardProducts {
  /** cuBLAS multiplies batches of prompts. */
  readonly cublas: boolean;
  /** llama.cpp's own kernels multiply for experts and for passes that draw all the same. */
  readonly chosen: boolean;
}

export function cardProducts(build: BuildOptions | null = chosenBuild('cuda')): CardProducts {
  const cublas = build?.cmake[CUBLAS_PRODUCTS] === 'ON';
  return { cublas, chosen: cublas && build?.products !== undefined };
}

/** The file of our own reader of logits in the chosen build; null: the library reads them. */
export function readerFile(device: Device): string | null {
  return addonFile(chosenBuild(device)?.reader);
}

/** The file of our own choice of products in the chosen build; null: the build multiplies as it was made to. */
export function productsFile(device: Device): string | null {
  return addonFile(chosenBuild(device)?.products);
}

function addonFile(file: string | undefined): string | null {
  return file === undefined ? null : path.join(localBuilds(), file);
}

/** How the library is asked for the chosen build and for no other one in its place; nothing where there is none. */
export function askForBuild(device: Device) {
  const build = chosenBuild(device);
  return build === null ? {} : { cmakeOptions: { ...build.cmake }, existingPrebuiltBinaryMustMatchBuildOptions: true };
}

/** Why the chosen build for a device cannot be had, and what to do. */
export function buildIsGone(device: Device): string {
  const command = `supportcal ${SETUP_COMMANDS[device === 'cpu' ? 'cpu' : 'cuda']}`;
  return (
    `the build of llama.cpp that \`${command}\` made does not start, or is gone (\`npm ci\` removes it): run ` +
    `\`${command}\` again, or set SUPPORTCAL_BUILD=prebuilt for the binary that came with the package`
  );
}

/** Commands that make a build. */
export const SETUP_COMMANDS: Readonly<Record<BuildDevice, string>> = { cuda: 'setup-gpu', cpu: 'setup-cpu' };

/** Variables by which a child process is told which builds it loads. One that the user has set stays as it is. */
export function buildVariables(builds: readonly BuildOptions[] = chosenBuilds()): Record<string, string> {
  if (builds.length === 0) return { [BUILD_VARIABLE]: PREBUILT };
  const unset = builds.flatMap(({ variables }) =>
    Object.entries(variables).filter(([name]) => process.env[name] === undefined),
  );
  const told = builds.map(({ device = 'cuda', cmake, variables, compiler, reader, products }) => ({
    device,
    cmake,
    variables,
    compiler,
    reader,
    products,
  }));
  return { ...Object.fromEntries(unset), [BUILD_VARIABLE]: JSON.stringify(told) };
}

/** Variables of the user's that would make the library look for another build than the one that was chosen. */
export const STRAY_OPTION = /^NODE_LLAMA_CPP_CMAKE_OPTION_/;
