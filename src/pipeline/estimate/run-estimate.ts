import type { ModelSpec, SuiteSpec } from '../../config/models-schema.js';
import { isEndpointModel, isGgufModel, shownPlace } from '../../config/source-kind.js';
import type { Device } from '../../contract/device.js';
import { freeDisk } from '../../files/free-disk.js';
import type { HubFile } from '../../hub/fetch-hub-file.js';
import { bytesHere, findModel, modelReference } from '../../hub/hub-model.js';
import { kernelsOf } from '../../library/chosen-build.js';
import type { ModelWork } from '../../models/gguf/model-work.js';
import { knownModel } from '../../models/hub-models.js';
import { modelFiles } from '../../models/model-files.js';
import { hubReferences, namedIn } from '../../models/model-references.js';
import { servedCost } from '../../scoring/endpoint/served-cost.js';
import {
  ESTIMATE_RULES,
  estimateBytes,
  estimateHours,
  estimateMemory,
  estimateSpeed,
  usesCublas,
} from '../../scoring/memory/estimate-model.js';
import { plannedContexts } from '../../scoring/memory/planned-contexts.js';
import { isImported } from '../score/fetch-models.js';
import { askedOf } from '../workspace/load-workspace.js';
import type { Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import type { DoctorModel, ExaminedModel } from './doctor-model.js';
import type { DatasetEstimate } from './estimate-work.js';
import { estimateWork, TOKEN_CHARACTERS, type Work } from './estimate-work.js';
import { measuredSpeeds } from './measured-speeds.js';

export interface ModelEstimate {
  readonly model: string;
  /** As it is written, the quantisation filled in; null: scores are imported. */
  readonly file: string | null;
  /** File and line that name it: models.yaml, or models.local.yaml. */
  readonly namedIn: string | null;
  /**
   * missing: of the hub, not downloaded; absent: no such file on this machine; served: behind a server; imported: no
   * file is needed.
   */
  readonly state: 'here' | 'missing' | 'absent' | 'served' | 'imported';
  /** Size of the file; null: unknown. */
  readonly bytes: number | null;
  /** listed: the hub said so; estimated: from weights x bits. */
  readonly bytesFrom: 'file' | 'listed' | 'estimated' | null;
  readonly memory: number | null;
  readonly memoryFrom: 'file' | 'estimated' | null;
  /** Whether it fits on the device that is used; null: unknown. */
  readonly fits: boolean | null;
  /** Whether it fits on each device that works. */
  readonly fitsOn: Readonly<Partial<Record<Device, boolean>>>;
  /** Prompt tokens to evaluate when nothing is cached; null when some data set has no known size. */
  readonly tokens: number | null;
  /** counted: with the vocabulary of the file. */
  readonly tokensFrom: 'counted' | 'estimated' | null;
  /** Tokens of the longest prompt, with room for its reply; counted or estimated as `tokens` are. */
  readonly longestTokens: number | null;
  /** Tokens of replies to write. */
  readonly generatedTokens: number | null;
  readonly tokensPerSecond: number | null;
  /** probed: just now; measured: by an earlier run; counted: from the weights of the file and their types. */
  readonly speedFrom: 'probed' | 'measured' | 'counted' | 'assumed' | null;
  readonly hours: number | null;
  /** What the tokens cost by the price in models.yaml; null: no price, or no known number of tokens. */
  readonly cost: number | null;
}

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
  /** Sum over all models; null when that of some model is unknown. */
  readonly hours: number | null;
  readonly missing: readonly string[];
  readonly rules: readonly string[];
}

/** What a row takes in the cache, about: id, scores or reply, counts. */
const ROW_BYTES = 150;

/** The device that scoring would use, and the others that work. Free memory in bytes. */
export interface EstimateDevice {
  readonly device: Device;
  readonly cores: number;
  readonly free: number;
  readonly others?: ReadonlyArray<{ readonly device: Device; readonly free: number }>;
}

/**
 * Estimates a run from what is here, what the hub listed earlier, and what models.yaml and the data sets say. Asks
 * nobody.
 *
 * @param probed tokens per second of models that were just tried
 */
export async function estimateRun(
  workspace: Workspace,
  examined: readonly ExaminedModel[],
  device: EstimateDevice,
  probed: ReadonlyMap<string, number> = new Map(),
): Promise<RunEstimate> {
  const datasets = workspace.datasets.map((dataset) => datasetEstimate(dataset, examined));
  const measured = await measuredSpeeds(workspace.options.out);
  const works: (Work | null)[] = [];
  const models: ModelEstimate[] = [];
  for (const model of workspace.suite.models) {
    const known = examined.find((each) => each.model === model.id);
    const work = estimateWork(workspace, datasets, model, known?.asked);
    const file = await fileOf(workspace, model, known);
    const own = await ownSize(workspace, model, file);
    const estimated = { model: own.model, cpuWork: own.cpuWork, file, work };
    works.push(work);
    models.push({
      model: model.id,
      file: shownPlace(model),
      namedIn: namedIn(workspace.models, model),
      ...file,
      ...memoryOf(estimated, known?.memory ?? null, device),
      ...timeOf(estimated, { probed, measured }, { ...device, structured: workspace.suite.elicitation.structured }),
      cost: costOf(workspace, model, work),
    });
  }
  const scored = models.filter(({ state }) => state !== 'imported');
  const absent = models.filter(({ state }) => state === 'missing' || state === 'absent');
  return {
    models,
    datasets,
    rules: ESTIMATE_RULES,
    download: await downloadOf(workspace, models),
    cacheBytes: sumOf(works.map((work) => work && ROW_BYTES * work.rows)),
    freeDisk: await freeDisk(workspace.options.cache),
    hours: sumOf(scored.map(({ hours }) => hours)),
    missing: [
      ...datasets.filter(({ state }) => state === 'missing').map(({ dataset }) => `data set ${dataset}`),
      ...absent.map(({ model }) => `model ${model}`),
    ],
  };
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

/** One model with what is known of its file and of what it has to do. */
interface EstimatedModel {
  readonly model: ModelSpec;
  /** null: its file is not here. */
  readonly cpuWork: ModelWork | null;
  readonly file: Pick<ModelEstimate, 'state' | 'bytes' | 'bytesFrom'>;
  /** null when some data set has no known size. */
  readonly work: Work | null;
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

/** What was measured holds for prompts: a model that wrote replies in that run says nothing of either alone. */
function timeOf(
  estimated: EstimatedModel,
  { probed, measured }: KnownSpeeds,
  { device, cores, structured }: EstimateDevice & Pick<SuiteSpec['elicitation'], 'structured'>,
): Pick<
  ModelEstimate,
  'tokens' | 'tokensFrom' | 'longestTokens' | 'generatedTokens' | 'tokensPerSecond' | 'speedFrom' | 'hours'
> {
  const { model, file, work } = estimated;
  const tokens = work?.evaluatedTokens ?? null;
  const generatedTokens = work?.generatedTokens ?? null;
  const before = measured.get(generatedTokens ? (model.base ?? model.id) : model.id);
  const counted = device === 'cpu' ? countedSpeed(estimated, cores) : undefined;
  const sized = withParameters(model, file.bytes);
  const cublas = usesCublas(file.bytes, sized.parameters, kernelsOf('cuda'));
  const assumed = estimateSpeed(sized, device, cores, cublas) ?? undefined;
  const own = { probed: probed.get(model.id), counted, assumed };
  const froms = { measured: before, ...(file.state !== 'served' && own) };
  const from = SPEED_FROM.find((each) => froms[each] !== undefined) ?? null;
  const speed = file.state === 'imported' || from === null ? null : (froms[from] ?? null);
  return {
    tokens,
    longestTokens: work?.longest ?? null,
    generatedTokens,
    tokensPerSecond: speed,
    tokensFrom: work === null ? null : work.counted ? 'counted' : 'estimated',
    speedFrom: speed === null ? null : from,
    hours: speed === null || work === null ? null : estimateHours(work, speed, device, structured),
  };
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

/** Tokens per second that are known of models, by id. */
interface KnownSpeeds {
  readonly probed: ReadonlyMap<string, number>;
  readonly measured: ReadonlyMap<string, number>;
}

/** The best knowledge first. */
const SPEED_FROM = ['probed', 'measured', 'counted', 'assumed'] as const;

/** By the weights of a file and their types; the output matrix counts once a prompt. */
function countedSpeed({ model, cpuWork, work }: EstimatedModel, cores: number): number | undefined {
  if (cpuWork === null || work === null || work.evaluatedTokens === 0) return undefined;
  const { parameters, activeParameters } = model;
  const active = activeParameters === undefined || parameters === undefined ? 1 : activeParameters / parameters;
  const nanoseconds = cpuWork.perToken * active + (cpuWork.perPrompt * work.rows) / work.evaluatedTokens;
  return nanoseconds === 0 ? undefined : (cores * 1e9) / nanoseconds;
}

/** A file that is here says itself how many parameters it has; models.yaml speaks for those that are not. */
async function ownSize(
  workspace: Workspace,
  model: ModelSpec,
  { state }: Pick<ModelEstimate, 'state'>,
): Promise<Pick<EstimatedModel, 'model' | 'cpuWork'>> {
  const asSaid = { model, cpuWork: null };
  if (state !== 'here' || !isGgufModel(model)) return asSaid;
  const files = await modelFiles(workspace, model).catch(() => null);
  if (files === null || files.weights === 0) return asSaid;
  const { weights, work: cpuWork } = files;
  const { activeParameters, ...others } = model;
  const billions = weights / 1e9;
  // A share of the weights is what models.yaml alone knows, but it is no more than all of them.
  const active = activeParameters !== undefined && activeParameters < billions ? { activeParameters } : {};
  return { model: { ...others, parameters: billions, ...active }, cpuWork };
}

/** Weights that models.yaml does not say: as many as fit into the file at 8.5 bits each. */
function withParameters({ parameters, activeParameters }: ModelSpec, bytes: number | null) {
  const fromFile = bytes === null ? undefined : (bytes * 8) / 8.5 / 1e9;
  const billions = parameters ?? fromFile;
  return { parameters: billions, activeParameters };
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
    return {
      dataset: spec.id,
      state: 'here',
      rows: prompts.length,
      promptTokens: Math.round(counts.length > 0 ? counted : mean(({ text }) => text.length) / TOKEN_CHARACTERS),
      longestTokens:
        counts.length > 0 ? Math.max(...counts.map((each) => each.longest)) : Math.ceil(longest / TOKEN_CHARACTERS),
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
