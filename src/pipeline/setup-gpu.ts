import { rm } from 'node:fs/promises';
import path from 'node:path';
import { buildVariables, forgetBuild } from '../library/chosen-build.js';
import {
  type BuildOptions,
  buildState,
  type LibraryBuild,
  localBuilds,
  recordBuild,
} from '../library/library-build.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../library/native-versions.js';
import { probeDevice } from '../scoring/device/probe-device.js';
import { buildLibrary } from '../scoring/setup/build-library.js';
import { buildTools } from '../scoring/setup/build-tools.js';
import { type NvidiaCards, nvidiaCards } from '../scoring/setup/nvidia-cards.js';
import { probeModel } from './score/probe-model.js';

/** Who multiplies matrices of quantised files: NVIDIA's cuBLAS, or kernels of llama.cpp's own. */
export type Products = 'cublas' | 'llama.cpp';

export interface SetupOptions {
  /** Absent: by the card. */
  readonly products?: Products;
  /** Makes a build anew that is there. */
  readonly again?: boolean;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: string) => void;
  readonly onProgress?: (done: number, of: number) => void;
  /** Replace the machine in tests. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly build?: typeof buildLibrary;
  readonly probe?: typeof probeDevice;
}

export type SetupOutcome =
  | {
      readonly kind: 'built';
      readonly build: LibraryBuild;
      /** false: it was there. */
      readonly made: boolean;
      readonly seconds: number;
      readonly device: string;
    }
  /** Nothing to build for, tools that are missing, or a build that does not work: runs go on as before. */
  | { readonly kind: 'no-card' | 'missing' | 'failed'; readonly reasons: readonly string[] };

/** Compute capability from which cuBLAS multiplies quantised matrices faster: measured on 9.0 (docs/performance.md). */
const CUBLAS_FROM = 90;

/**
 * `supportcal setup-gpu`: builds llama.cpp for the NVIDIA cards of this machine, tries it with a real decode in a
 * process of its own, and puts it on record, so that runs on CUDA take it in place of the prebuilt binary.
 */
export async function setupGpu(options: SetupOptions = {}): Promise<SetupOutcome> {
  const { environment = process.env, build = buildLibrary, onStep = () => {}, onProgress = () => {} } = options;
  const cards = await nvidiaCards(environment);
  if (cards === null) return { kind: 'no-card', reasons: [NO_CARD] };
  const tools = await buildTools(cards, environment);
  if (tools.missing.length > 0) return { kind: 'missing', reasons: tools.missing };
  const wanted: BuildOptions = {
    cmake: cmakeOptions(cards, options.products),
    variables: {},
    compiler: `CUDA ${tools.cuda}`,
  };
  onStep(`building llama.cpp ${llamaCppRelease()} for ${cards.names.join(', ')}: ${optionText(wanted.cmake)}`);
  const made = await build({
    cmake: wanted.cmake,
    environment: tools.environment,
    again: options.again === true,
    onProgress,
    ...(options.signal && { signal: options.signal }),
  });
  if (!made.ok) return { kind: 'failed', reasons: [`the build failed: ${made.reason}`] };
  onStep(made.made ? 'trying it with a decode' : 'it was built before: trying it with a decode');
  const trial = await (options.probe ?? probeDevice)('cuda', probeModel(), buildVariables(wanted));
  if (!trial.ok) {
    await takeBack(made.folder);
    return { kind: 'failed', reasons: [`it was built, and does not work: ${trial.reason}`] };
  }
  const recorded: LibraryBuild = {
    ...wanted,
    nodeLlamaCpp: nodeLlamaCppVersion(),
    llamaCppRelease: llamaCppRelease(),
    folder: made.folder,
    card: cards.names.join(', '),
    driver: cards.driver,
    builtAt: new Date().toISOString(),
  };
  await recordBuild(recorded, environment);
  forgetBuild();
  return { kind: 'built', build: recorded, made: made.made, seconds: made.seconds, device: trial.device };
}

/** `supportcal setup-gpu --remove`: runs take the prebuilt binary again. Resolves with whether there was a build. */
export async function removeBuild(environment: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const state = buildState(environment);
  if (!('build' in state)) return false;
  await takeBack(state.build.folder);
  await recordBuild(null, environment);
  forgetBuild();
  return true;
}

const NO_CARD =
  'nvidia-smi names no card: this command builds for NVIDIA cards. Other ones (vulkan, metal) and the CPU have their ' +
  'kernels in the binary that came with the package';

function cmakeOptions({ architectures }: NvidiaCards, products: Products | undefined): Record<string, string> {
  const cublas = products === undefined ? Number(architectures[0]) >= CUBLAS_FROM : products === 'cublas';
  return { ...(cublas && { GGML_CUDA_FORCE_CUBLAS: 'ON' }), CMAKE_CUDA_ARCHITECTURES: architectures.join(';') };
}

function optionText(options: Readonly<Record<string, string>>): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

async function takeBack(folder: string): Promise<void> {
  await rm(path.join(localBuilds(), path.basename(folder)), { recursive: true, force: true });
}
