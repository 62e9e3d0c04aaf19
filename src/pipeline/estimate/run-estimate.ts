import type { ModelSpec } from '../../config/models-schema.js';
import { isEndpointModel, isGgufModel, shownPlace } from '../../config/source-kind.js';
import type { Device } from '../../contract/device.js';
import { freeDisk } from '../../files/free-disk.js';
import type { HubFile } from '../../hub/fetch-hub-file.js';
import { bytesHere, findModel, modelReference } from '../../hub/hub-model.js';
import { bytesToHash } from '../../models/hash-model-files.js';
import { knownModel } from '../../models/hub-models.js';
import { modelFiles } from '../../models/model-files.js';
import { hubReferences, namedIn } from '../../models/model-references.js';
import { deviceFor } from '../../scoring/device/device-for.js';
import { servedCost } from '../../scoring/endpoint/served-cost.js';
import { ESTIMATE_RULES, estimateBytes, estimateMemory } from '../../scoring/memory/estimate-model.js';
import { plannedContexts } from '../../scoring/memory/planned-contexts.js';
import { isImported } from '../score/fetch-models.js';
import { askedOf } from '../workspace/load-workspace.js';
import type { Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import type { DoctorModel, ExaminedModel } from './doctor-model.js';
import type { DatasetEstimate } from './estimate-work.js';
import { estimateWork, type Work } from './estimate-work.js';
import { measuredSpeeds } from './measured-speeds.js';
import type { EstimateDevice, ModelEstimate } from './model-estimate.js';
import { commandSeconds, type EstimatedModel, type KnownSpeeds, modelTime, timeFactor } from './model-time.js';
import type { ProbedSpeed } from './probe-speeds.js';
import { sideBySide } from './side-by-side.js';
import { tokenDensity } from './token-density.js';

/** Files of the hub that are not here, or not whole. */
export interface DownloadEstimate {
  readonly files: number;
  /** To fetch. */
  readonly bytes: number;
  /** Bytes of these files that are here from a download that broke off. */
  readonly kept: number;
  /** Files of unknown size. */
  readonly unknown: number;
}

/** What a whole run of the suite takes, from nothing in the cache. Sizes in bytes. */
export interface RunEstimate {
  readonly models: readonly ModelEstimate[];
  readonly datasets: readonly DatasetEstimate[];
  readonly download: DownloadEstimate;
  /** What the cache of scores and replies will hold; null when some data set has no known size. */
  readonly cacheBytes: number | null;
  /** Free where downloads and scores go. */
  readonly freeDisk: number | null;
  /** What all models take, tiny ones side by side on a CPU, and the command; null when some model's time is unknown. */
  readonly hours: number | null;
  readonly missing: readonly string[];
  readonly rules: readonly string[];
}

/** What a row takes in the cache, about: id, scores or reply, counts. */
const ROW_BYTES = 150;

/**
 * Estimates a run from what is here, what the hub listed earlier, and what models.yaml and the data sets say. Asks
 * nobody.
 *
 * @param probed what models did that were just tried
 */
export async function estimateRun(
  workspace: Workspace,
  examined: readonly ExaminedModel[],
  device: EstimateDevice,
  probed: ReadonlyMap<string, ProbedSpeed> = new Map(),
): Promise<RunEstimate> {
  const datasets = workspace.datasets.map((dataset) => datasetEstimate(dataset, examined));
  const speeds: KnownSpeeds = { probed, measured: await measuredSpeeds(workspace.options.out) };
  const estimated = await modelsToTime(workspace, datasets, examined);
  const places = sideBySide(
    estimated.map(({ model, file }) => ({
      model: model.id,
      bytes: file.bytes,
      device: deviceFor(model, device.device),
    })),
    device,
  );
  const { structured } = workspace.suite.elicitation;
  const on = ({ model }: EstimatedModel) => ({
    ...deviceOfModel(model, device),
    cores: places.coresOf(model.id),
    structured,
  });
  const factors = estimated.flatMap((each) => timeFactor(each, speeds, on(each)) ?? []);
  const models = estimated.map((each, n): ModelEstimate => {
    const model = workspace.suite.models[n] ?? each.model;
    return {
      model: model.id,
      file: shownPlace(model),
      namedIn: namedIn(workspace.models, model),
      ...each.file,
      ...memoryOf(
        each,
        examined.find((known) => known.model === model.id)?.memory ?? null,
        deviceOfModel(each.model, device),
      ),
      ...modelTime(each, speeds, on(each), middle(factors)),
      cost: costOf(workspace, model, each.work),
    };
  });
  const scored = models.filter(({ state }) => state !== 'imported');
  const absent = models.filter(({ state }) => state === 'missing' || state === 'absent');
  return {
    models,
    datasets,
    rules: [...ESTIMATE_RULES, ...besideOtherWork(probed)],
    download: await downloadOf(workspace, models),
    cacheBytes: sumOf(estimated.map(({ work }) => work && ROW_BYTES * work.rows)),
    freeDisk: await freeDisk(workspace.options.cache),
    hours: scored.some(({ hours }) => hours === null)
      ? null
      : places.together(hoursOf(models)) + commandSeconds(estimated) / 3600,
    missing: [
      ...datasets.filter(({ state }) => state === 'missing').map(({ dataset }) => `data set ${dataset}`),
      ...absent.map(({ model }) => `model ${model}`),
    ],
  };
}

async function modelsToTime(
  workspace: Workspace,
  datasets: readonly DatasetEstimate[],
  examined: readonly ExaminedModel[],
): Promise<EstimatedModel[]> {
  const estimated: EstimatedModel[] = [];
  const asked = new Set<string>();
  for (const model of workspace.suite.models) {
    const known = examined.find((each) => each.model === model.id);
    const file = await fileOf(workspace, model, known);
    const own = await ownSize(workspace, model, file);
    const vocabulary = own.cpuWork?.vocabulary;
    const work = estimateWork(workspace, datasets, model, { counted: known?.asked ?? [], vocabulary, asked });
    estimated.push({ ...own, file, work });
  }
  return estimated;
}

function hoursOf(models: readonly ModelEstimate[]): (id: string) => number {
  const known = new Map(models.map(({ model, state, hours }) => [model, state === 'imported' ? 0 : (hours ?? 0)]));
  return (id) => known.get(id) ?? 0;
}

/** Work of others that a probe saw is said, and is in no number: nobody knows how long it goes on. */
function besideOtherWork(probed: ReadonlyMap<string, ProbedSpeed>): string[] {
  const slowedBy = middle([...probed.values()].map((each) => each.slowedBy));
  if (slowedBy < 1.25) return [];
  return [
    'with --probe, times are those of cores that a model has to itself; other work on this machine took so much of ' +
      `them during the probe that a run beside it takes about ${slowedBy.toPrecision(2)} times as long`,
  ];
}

/** 1 where there are none. */
function middle(factors: readonly number[]): number {
  return factors.toSorted((a, b) => a - b)[factors.length >> 1] ?? 1;
}

/** The sum of numbers that are all known; null where one is not. */
function sumOf(numbers: readonly (number | null)[]): number | null {
  return numbers.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0);
}

/** Every file of the hub that is not here, adapters included, once however many models name it. */
async function downloadOf({ suite, hub }: Workspace, models: readonly ModelEstimate[]): Promise<DownloadEstimate> {
  const sizes = new Map<string, number | null>();
  let kept = 0;
  for (const [m, model] of suite.models.entries()) {
    if (models[m]?.state === 'imported' || models[m]?.state === 'served') continue;
    for (const file of hubReferences(model)) {
      if (sizes.has(file)) continue;
      const known = await knownModel(hub, file).catch(() => null);
      if (known !== null && (await findModel(known, hub)) !== null) continue;
      if (known !== null) kept += await bytesHere(known);
      sizes.set(file, known === null ? (file === model.file ? estimateBytes(model) : null) : listedBytes(known));
    }
  }
  const all = [...sizes.values()];
  return {
    files: all.length,
    bytes: all.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0) - kept,
    kept,
    unknown: all.filter((bytes) => bytes === null).length,
  };
}

function listedBytes(files: readonly HubFile[]): number {
  return files.reduce((sum, { listed }) => sum + listed.bytes, 0);
}

/** The device of a run, or the CPU beside it, whose memory counts as enough where nobody tells what is free. */
function deviceOfModel(model: ModelSpec, device: EstimateDevice): EstimateDevice {
  const own = deviceFor(model, device.device);
  if (own === device.device) return device;
  const free = device.others?.find((other) => other.device === own)?.free ?? Number.POSITIVE_INFINITY;
  return { device: own, cores: device.cores, free };
}

/** @param planned what a look into the file says; null: it was not looked into */
function memoryOf(
  { model, file: { bytes }, work }: EstimatedModel,
  planned: DoctorModel['memory'],
  { others = [], ...device }: EstimateDevice,
): Pick<ModelEstimate, 'memory' | 'memoryFrom' | 'fits' | 'fitsOn'> {
  const onDevice = (at: Device) => {
    if (bytes === null || work === null) return null;
    const contexts = plannedContexts(model, bytes, at, work.longest);
    const { weights, kvCache, compute } = estimateMemory(model, bytes, contexts);
    return weights + kvCache + compute;
  };
  const memory = planned?.total ?? onDevice(device.device);
  const fits = memory === null ? null : memory <= device.free;
  const fitsOn: Partial<Record<Device, boolean>> = fits === null ? {} : { [device.device]: fits };
  for (const { device: other, free } of others) {
    const there = onDevice(other);
    if (there !== null) fitsOn[other] = there <= free;
  }
  return { memory, memoryFrom: planned !== null ? 'file' : memory === null ? null : 'estimated', fits, fitsOn };
}

/** By the texts that would be sent where the rows are here, as `--max-cost` counts; else by their stated sizes. */
function costOf(workspace: Workspace, model: ModelSpec, work: Work | null): number | null {
  const price = model.endpoint?.pricePerMillionTokens;
  if (price === undefined || work === null) return null;
  const needed = workspace.datasets.filter(({ spec }) => workspace.suite.needs(spec.id, model.id));
  if (needed.some(({ content }) => content === null)) return (work.evaluatedTokens * price) / 1e6;
  const asked = needed.flatMap((dataset) => askedOf(workspace, dataset, model));
  return asked.reduce((sum, { evaluated }) => sum + servedCost(evaluated, price), 0);
}

/** A file that is here says itself how many parameters it has; models.yaml speaks for those that are not. */
async function ownSize(
  workspace: Workspace,
  model: ModelSpec,
  { state }: Pick<ModelEstimate, 'state'>,
): Promise<Pick<EstimatedModel, 'model' | 'cpuWork' | 'toHash'>> {
  const asSaid = { model, cpuWork: null, toHash: 0 };
  if (state !== 'here' || !isGgufModel(model)) return asSaid;
  const files = await modelFiles(workspace, model).catch(() => null);
  if (files === null) return asSaid;
  const toHash = await bytesToHash(workspace, files.parts).catch(() => 0);
  if (files.weights === 0) return { ...asSaid, toHash };
  const { weights, work: cpuWork } = files;
  const { activeParameters, ...others } = model;
  const billions = weights / 1e9;
  // A share of the weights is what models.yaml alone knows, but it is no more than all of them.
  const active = activeParameters !== undefined && activeParameters < billions ? { activeParameters } : {};
  return { model: { ...others, parameters: billions, ...active }, cpuWork, toHash };
}

/** The tokens of a plain prompt: the mean over the vocabularies that were read, else by its characters. */
function datasetEstimate({ spec, content }: WorkspaceDataset, examined: readonly ExaminedModel[]): DatasetEstimate {
  const { size } = spec.yaml;
  if (content !== null && content.prompts.length > 0) {
    const { prompts } = content;
    const mean = (of: (prompt: (typeof prompts)[number]) => number) =>
      prompts.reduce((sum, prompt) => sum + of(prompt), 0) / prompts.length;
    const counts = examined.flatMap(({ asked }) =>
      asked.filter((each) => each.dataset === spec.id && each.kind === 'plain'),
    );
    const counted = counts.reduce((sum, { tokens }) => sum + tokens, 0) / counts.length / prompts.length;
    const longest = prompts.reduce((most, { text }) => Math.max(most, text.length), 0);
    const density = tokenDensity(prompts.map(({ text }) => text));
    return {
      dataset: spec.id,
      state: 'here',
      rows: prompts.length,
      promptTokens: Math.round(counts.length > 0 ? counted : mean(({ text }) => text.length) * density),
      longestTokens: counts.length > 0 ? Math.max(...counts.map((each) => each.longest)) : Math.ceil(density * longest),
      options: Math.round(mean(({ continuations }) => continuations.length)),
    };
  }
  const state = spec.yaml.source === undefined ? 'imported' : 'missing';
  const { rows = null, promptTokens = null, longestTokens = null, options = null } = size ?? {};
  return { dataset: spec.id, state, rows, promptTokens, longestTokens, options };
}

async function fileOf(
  workspace: Workspace,
  model: ModelSpec,
  examined: ExaminedModel | undefined,
): Promise<Pick<ModelEstimate, 'state' | 'bytes' | 'bytesFrom'>> {
  if (await isImported(workspace, model)) return { state: 'imported', bytes: null, bytesFrom: null };
  if (!isGgufModel(model)) {
    return { state: isEndpointModel(model) ? 'served' : 'imported', bytes: null, bytesFrom: null };
  }
  if (examined?.bytes != null) return { state: 'here', bytes: examined.bytes, bytesFrom: 'file' };
  const state = modelReference(model.file) === null ? 'absent' : 'missing';
  const known = await knownModel(workspace.hub, model.file).catch(() => null);
  if (known !== null) return { state, bytes: listedBytes(known), bytesFrom: 'listed' };
  const bytes = estimateBytes(model);
  return { state, bytes, bytesFrom: bytes === null ? null : 'estimated' };
}
