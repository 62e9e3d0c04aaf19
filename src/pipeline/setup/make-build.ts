import { rm } from 'node:fs/promises';
import path from 'node:path';
import { buildVariables, forgetBuild } from '../../library/chosen-build.js';
import {
  type BuildDevice,
  type BuildOptions,
  buildState,
  type CompiledAddon,
  type LibraryBuild,
  localBuilds,
  recordBuild,
} from '../../library/library-build.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../../library/native-versions.js';
import { probeDevice } from '../../scoring/device/probe-device.js';
import { buildLibrary } from '../../scoring/setup/build-library.js';
import { probeModel } from '../score/probe-model.js';

export interface SetupOptions {
  /** Makes a build anew that is there. */
  readonly again?: boolean;
  readonly signal?: AbortSignal;
  readonly onStep?: (step: string) => void;
  readonly onProgress?: (done: number, of: number) => void;
  /** Replace the machine in tests. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly build?: typeof buildLibrary;
  readonly probe?: Probe;
}

type Probe = typeof probeDevice;

export type SetupOutcome =
  | {
      readonly kind: 'built';
      readonly build: LibraryBuild;
      /** false: it was there. */
      readonly made: boolean;
      readonly seconds: number;
      readonly device: string;
      /** Why the library reads logits itself; null: our own reader does. */
      readonly readerFault: string | null;
      /** Why cuBLAS multiplies all but a few tokens; null: our own choice was made, or there is none to make. */
      readonly productsFault: string | null;
    }
  /** Nothing to build for, tools that are missing, or a build that does not work: runs go on as before. */
  | { readonly kind: 'no-card' | 'missing' | 'failed'; readonly reasons: readonly string[] };

/** What is built, and for what. */
export interface WantedBuild {
  readonly options: BuildOptions & { readonly device: BuildDevice };
  /** Cards or processor, and the cards' driver. */
  readonly card: string;
  readonly driver: string;
  /** Where compilers are found. */
  readonly tools: NodeJS.ProcessEnv;
}

/**
 * Builds llama.cpp from the sources inside the package, tries it with a real decode in a process of its own, and puts
 * it on record, so that runs on its device take it in place of the prebuilt binary.
 */
export async function makeBuild(wanted: WantedBuild, setup: SetupOptions): Promise<SetupOutcome> {
  const { environment = process.env, build = buildLibrary, onStep = () => {}, onProgress = () => {} } = setup;
  const { device, cmake } = wanted.options;
  onStep(`building llama.cpp ${llamaCppRelease()} for ${wanted.card}: ${optionText(cmake)}`);
  const made = await build({
    device,
    cmake,
    environment: wanted.tools,
    again: setup.again === true,
    onProgress,
    ...(setup.signal && { signal: setup.signal }),
  });
  if (!made.ok) return { kind: 'failed', reasons: [`the build failed: ${made.reason}`] };
  onStep(made.made ? 'trying it with a decode' : 'it was built before: trying it with a decode');
  const tried = await tryBuild(wanted.options, made, setup.probe ?? probeDevice);
  const before = buildState(device, environment);
  const old = !made.made && before.kind === 'used' && before.build.folder === made.folder ? before.build : null;
  if (!tried.trial.ok) {
    // A card that is full for a while is no reason to build anew for five minutes, and runs that have begun load it.
    if (old !== null)
      return { kind: 'failed', reasons: [`the build does not work now, and stays: ${tried.trial.reason}`, STAYS] };
    await takeBack(made.folder);
    return { kind: 'failed', reasons: [`it was built, and does not work: ${tried.trial.reason}`] };
  }
  const recorded: LibraryBuild = {
    ...tried.options,
    nodeLlamaCpp: nodeLlamaCppVersion(),
    llamaCppRelease: llamaCppRelease(),
    folder: made.folder,
    card: wanted.card,
    driver: wanted.driver,
    builtAt: old?.builtAt ?? new Date().toISOString(),
  };
  await recordBuild(device, recorded, environment);
  forgetBuild();
  const { trial, faults } = tried;
  return {
    kind: 'built',
    build: recorded,
    made: made.made,
    seconds: made.seconds,
    device: trial.device,
    readerFault: faults.reader ?? null,
    productsFault: faults.products ?? null,
  };
}

const STAYS = 'try again when nothing else runs; `--again` makes it anew, `--remove` removes it';

/** Code of our own beside a build, in the order in which a build that fails is tried without it. */
const PARTS = ['products', 'reader'] as const;
type Part = (typeof PARTS)[number];

/**
 * Tries a build with our own code beside it: with all of it that was made, else without one part after the other, so
 * that a part which works does not go with one which does not, else with none.
 */
async function tryBuild(
  options: BuildOptions & { device: BuildDevice },
  made: Readonly<Partial<Record<Part, CompiledAddon>>>,
  probe: Probe,
) {
  const files: Partial<Record<Part, string>> = {};
  const faults: Partial<Record<Part, string>> = {};
  for (const part of PARTS) {
    const addon = made[part];
    if (addon === undefined) continue;
    if ('file' in addon) files[part] = addon.file;
    else faults[part] = addon.fault;
  }
  const there = PARTS.filter((part) => files[part] !== undefined);
  const attempt = async (parts: readonly Part[]) => {
    const tried = { ...options, ...Object.fromEntries(parts.map((part) => [part, files[part]])) };
    return { trial: await probe(options.device, probeModel(), buildVariables([tried])), options: tried };
  };
  const without = there.map((part) => there.filter((each) => each !== part));
  for (const parts of [there, ...without].filter(({ length }) => length > 0)) {
    const attempted = await attempt(parts);
    const { trial } = attempted;
    if (trial.ok) {
      for (const part of parts) delete faults[part];
      return { ...attempted, faults };
    }
    for (const part of parts) faults[part] = trial.reason;
  }
  return { ...(await attempt([])), faults };
}

/** Runs on the device take the prebuilt binary again. Resolves with whether there was a build. */
export async function removeBuild(device: BuildDevice, environment: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const state = buildState(device, environment);
  if (!('build' in state)) return false;
  await takeBack(state.build.folder);
  await recordBuild(device, null, environment);
  forgetBuild();
  return true;
}

function optionText(options: Readonly<Record<string, string>>): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

async function takeBack(folder: string): Promise<void> {
  await rm(path.join(localBuilds(), path.basename(folder)), { recursive: true, force: true });
}
