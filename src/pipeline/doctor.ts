import { availableParallelism } from 'node:os';
import type { Card, Device, GpuChoice } from '../contract/device.js';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { kernelsOf } from '../library/chosen-build.js';
import { type BuildDevice, type BuildState, buildState } from '../library/library-build.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../library/native-versions.js';
import { deviceFor } from '../scoring/device/device-for.js';
import { chosenCards, findCards } from '../scoring/device/find-cards.js';
import { type MemoryState, ramState } from '../scoring/device/free-memory.js';
import { probeDevice } from '../scoring/device/probe-device.js';
import { deviceMemory, rememberDevice } from '../scoring/device/remembered-device.js';
import { type DeviceTrial, firstCard, tryDevices } from '../scoring/device/resolve-device.js';
import { type InspectOptions, inspectModels } from '../scoring/inspect-models.js';
import { advisedModels, cardAdvice } from './estimate/card-advice.js';
import { type CardPlace, cardPlaces } from './estimate/card-places.js';
import { cpuAdvice } from './estimate/cpu-advice.js';
import { type DiskEstimate, diskEstimate } from './estimate/disk-estimate.js';
import { type InspectableModel, inspectableModels } from './estimate/doctor-files.js';
import { type DoctorModel, examine } from './estimate/doctor-model.js';
import { probeSpeeds } from './estimate/probe-speeds.js';
import { estimateRun, type RunEstimate } from './estimate/run-estimate.js';
import { type TunedModels, type TuneRun, tuneModels } from './estimate/tune-models.js';
import { probeModel } from './score/probe-model.js';
import { loadWorkspace } from './workspace/load-workspace.js';
import type { RunOptions } from './workspace/run-options.js';
import { toolVersion } from './workspace/tool-version.js';
import type { Workspace } from './workspace/workspace.js';

/** What runs on a device take. */
interface DeviceLibrary {
  readonly build: BuildState;
  readonly kernels: string | null;
}

export interface DoctorReport {
  readonly versions: {
    readonly supportcal: string;
    readonly node: string;
    readonly nodeLlamaCpp: string;
    readonly llamaCppRelease: string;
    readonly platform: string;
  };
  readonly cores: number;
  readonly memory: { readonly ram: MemoryState; readonly gpu: MemoryState | null };
  readonly backend: {
    readonly asked: GpuChoice;
    readonly chosen: Device | null;
    readonly reason: string;
    readonly tried: readonly DeviceTrial[];
  };
  /**
   * A build of llama.cpp that `setup-gpu` made, and the kernels by which rows on CUDA are kept; null: prebuilt. What
   * `setup-cpu` made for the CPU stands beside it.
   */
  readonly library: DeviceLibrary & { readonly cpu: DeviceLibrary };
  /** The cards of the device that a run would use; `free` and `total` of `memory.gpu` are those of all together. */
  readonly cards: readonly Card[];
  /** Where models run, when there are several cards. */
  readonly places: readonly CardPlace[];
  readonly models: readonly DoctorModel[];
  /** null when the suite cannot be read. */
  readonly estimate: RunEstimate | null;
  /** null: no budget of disk is set, or the suite cannot be read. */
  readonly disk: DiskEstimate | null;
  /** What a search for faster shapes found; null: none was asked for. */
  readonly tuned: readonly TunedModels[] | null;
  /** What would make a run faster on this card or processor, with measured numbers. */
  readonly advice: readonly string[];
  /** What would stop a run or take models out of it; empty when all is well. */
  readonly problems: readonly string[];
}

export interface DoctorOptions {
  readonly signal?: AbortSignal;
  readonly onTokenised?: InspectOptions['onProgress'];
  /** Replace the child processes in tests. */
  readonly backendModule?: string;
  readonly probe?: typeof probeDevice;
  /** Also loads every model whose file is here, and scores for two seconds to see how fast it is. */
  readonly speeds?: boolean;
  /** Also looks for faster shapes of evaluation on this card, and keeps them for the runs to come. */
  readonly tune?: boolean;
  readonly onModel?: TuneRun['onModel'];
  readonly onTrial?: TuneRun['onTrial'];
  readonly leastTrialMs?: TuneRun['leastTrialMs'];
}

/**
 * `supportcal doctor`: what this machine can do, what each model of the suite would need, and what a whole run takes.
 * Loads no weights, unless speeds are asked for, and fetches nothing: what is not here is estimated.
 */
export async function doctor(run: RunOptions, options: DoctorOptions = {}): Promise<DoctorReport> {
  const backend = await tryAll(run.gpu, options.probe ?? probeDevice);
  const ram = ramState();
  const { cards, faults: cardFaults } = await cardsOf(run, backend, options.probe ?? probeDevice);
  const whole = backend.tried.flatMap(({ result }) => (result.ok && result.memory ? [result.memory] : []))[0] ?? null;
  const gpu = memoryOfAll(cards) ?? whole;
  const opened = await open(run);
  const chosen = backend.chosen ?? 'cpu';
  const free = chosen !== 'cpu' && gpu !== null ? gpu.free : ram.free;
  const files = 'faults' in opened ? [] : await inspectableModels(opened);
  const models = await modelsOf(files, chosen, free, options);
  const others: { device: Device; free: number }[] = backend.tried.flatMap(({ backend: name, result }) =>
    name === chosen || name === 'cpu' || !result.ok || !result.memory
      ? []
      : [{ device: name, free: result.memory.free }],
  );
  // A CPU is there whether it was tried or not.
  if (chosen !== 'cpu') others.push({ device: 'cpu', free: ram.free });
  const device = { device: chosen, cores: availableParallelism(), free, others };
  const settings = { device: chosen, cores: device.cores };
  const speeds =
    options.speeds !== true || 'faults' in opened ? undefined : await probeSpeeds(files, settings, options.signal);
  const tuned =
    options.tune !== true || 'faults' in opened ? null : await tune(run, opened, { files, backend, cards }, options);
  const estimate = 'faults' in opened ? null : await estimateRun(opened, models, device, speeds);
  const disk = 'faults' in opened || estimate === null ? null : await diskEstimate(opened, chosen, estimate);
  const advised = await advisedModels(files, models, { cache: run.cache, device: chosen, card: cards[0] });
  const hours = estimate?.hours ?? null;
  // Models that nobody looked into any more are no problem of theirs.
  if (options.signal?.aborted) throw new SupportCalError('interrupted', 'the look into the models was interrupted');
  return {
    versions: {
      supportcal: toolVersion(),
      node: process.versions.node,
      nodeLlamaCpp: nodeLlamaCppVersion(),
      llamaCppRelease: llamaCppRelease(),
      platform: `${process.platform} ${process.arch}`,
    },
    cores: availableParallelism(),
    memory: { ram, gpu },
    backend,
    library: { ...libraryOf('cuda'), cpu: libraryOf('cpu') },
    cards,
    places: 'faults' in opened || estimate === null ? [] : cardPlaces(opened, estimate, cards),
    models,
    estimate,
    disk,
    tuned,
    advice: [
      ...cardAdvice(
        { device: chosen, names: cards.map(({ name }) => name), free, build: buildState('cuda'), hours },
        advised,
      ),
      ...cpuAdvice({ device: chosen, build: buildState('cpu'), hours }, advised),
    ],
    problems: [
      ...(backend.chosen === null ? [`--gpu ${run.gpu} does not work: ${backend.reason}`] : []),
      ...cardFaults,
      ...('faults' in opened ? opened.faults.map((fault) => new SupportCalError('bad-input', fault).message) : []),
      ...models.flatMap((model) => model.problems.map((problem) => `${model.model}: ${problem}`)),
      ...(estimate === null ? [] : shortages(estimate, disk)),
      ...(disk?.problem ? [disk.problem] : []),
      ...(tuned ?? []).flatMap(({ models: [model], found, notKept }) =>
        found === null || notKept === null
          ? []
          : [`${model}: its tuned shape (${JSON.stringify(found.shape)}) is not kept: ${notKept}`],
      ),
    ],
  };
}

/** Runs find what was kept by the name of the card, which is on record from then on. */
async function tune(
  { gpu, cache }: RunOptions,
  workspace: Workspace,
  {
    files,
    backend: { chosen, reason, tried },
    cards,
  }: Pick<DoctorReport, 'backend' | 'cards'> & { readonly files: readonly InspectableModel[] },
  { signal, backendModule, onModel, onTrial, leastTrialMs }: DoctorOptions,
): Promise<TunedModels[]> {
  if (chosen === null || chosen === 'cpu') return [];
  const cores = availableParallelism();
  const card = firstCard({ device: chosen, tried });
  const tuned = await tuneModels(workspace, files, {
    device: chosen,
    cores,
    cards,
    sought: card,
    signal,
    backendModule,
    onModel,
    onTrial,
    leastTrialMs,
  });
  rememberDevice(deviceMemory(cache), gpu, { device: chosen, reason, card });
  return tuned;
}

/**
 * The trials of the choice, and the CPU's too where the choice ends there: it is the device that everything rests on.
 */
async function tryAll(asked: GpuChoice, probe: typeof probeDevice): Promise<DoctorReport['backend']> {
  const modelPath = probeModel();
  const trials = await tryDevices(asked, { probe, ...(modelPath !== undefined && { modelPath }) });
  const tried = [...trials.tried];
  let { device: chosen, reason } = trials;
  if (chosen === 'cpu') {
    const result = await probe('cpu', modelPath);
    tried.push({ backend: 'cpu', result });
    if (!result.ok) {
      chosen = null;
      reason = `${reason}; cpu: ${result.reason}`;
    }
  }
  return { asked, chosen, reason, tried };
}

/** A card that does not answer, or a choice of cards that are not there, is a problem like any other. */
async function cardsOf(
  { devices }: RunOptions,
  { chosen, tried }: DoctorReport['backend'],
  probe: typeof probeDevice,
): Promise<{ readonly cards: readonly Card[]; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  const device = chosen ?? 'cpu';
  const all = tried.find(({ backend }) => backend === device)?.result;
  const onFault = (message: string) => void faults.push(message);
  const cards = await findCards(device, { probe, onFault, ...(all && { all }) });
  try {
    return { cards: chosenCards(cards, devices, device), faults };
  } catch (error) {
    if (!(error instanceof SupportCalError)) throw error;
    return { cards, faults: [...faults, error.message] };
  }
}

function memoryOfAll(cards: readonly Card[]): MemoryState | null {
  const known = cards.flatMap(({ memory }) => memory ?? []);
  if (cards.length === 0 || known.length < cards.length) return null;
  const sum = (of: (memory: MemoryState) => number) => known.reduce((total, memory) => total + of(memory), 0);
  return { total: sum(({ total }) => total), free: sum(({ free }) => free) };
}

/** What the estimate says that this machine lacks; files that are here have their own line. */
function shortages({ models, download, cacheBytes, freeDisk }: RunEstimate, budget: DiskEstimate | null): string[] {
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  const large = models.flatMap(({ model, memory, fits, memoryFrom }) =>
    fits === false && memoryFrom === 'estimated' && memory !== null ? [{ model, memory }] : [],
  );
  const toCome = budget?.peak == null ? download.bytes : Math.max(0, budget.peak - budget.here);
  const disk = toCome + (cacheBytes ?? 0);
  return [
    ...large.map(({ model, memory }) => `${model}: would not fit, about ${gigabytes(memory)} of memory are needed`),
    ...(freeDisk !== null && disk > freeDisk
      ? [`downloads and scores need about ${gigabytes(disk)} of disk, ${gigabytes(freeDisk)} are free`]
      : []),
  ];
}

async function open(run: RunOptions): Promise<Workspace | { readonly faults: readonly Fault[] }> {
  try {
    return await loadWorkspace({ ...run, offline: true }, { missingData: 'leave-empty' });
  } catch (error) {
    // A name on the command line that is none is no state of the machine.
    if (error instanceof SupportCalError && error.code !== 'usage') return { faults: error.faults };
    throw error;
  }
}

async function modelsOf(
  files: readonly InspectableModel[],
  device: Device,
  free: number,
  { signal, backendModule, onTokenised }: DoctorOptions,
): Promise<DoctorModel[]> {
  const jobs = files.flatMap((file) => ('job' in file ? [file.job] : []));
  const settings = { device, cores: availableParallelism() };
  const inspections = await inspectModels(jobs, settings, {
    detail: 'nothing',
    ...(onTokenised && { onProgress: onTokenised }),
    ...(signal && { signal }),
    ...(backendModule !== undefined && { backendModule }),
  });
  return files.map((file) => {
    const own = deviceFor(file.model, device);
    const room = own === device ? free : ramState().free;
    return examine(file, inspections.find((each) => each.model === file.model.id) ?? null, room, own);
  });
}

function libraryOf(device: BuildDevice): DeviceLibrary {
  return { build: buildState(device), kernels: kernelsOf(device) };
}
