import type { ModelSpec, SuiteSpec } from '../../config/models-schema.js';
import { cardProducts, readerFile } from '../../library/chosen-build.js';
import type { ModelWork } from '../../models/gguf/model-work.js';
import { estimateHours, estimateSpeed, isWhole, kernelsFor } from '../../scoring/memory/estimate-model.js';
import type { Work } from './estimate-work.js';
import type { EstimateDevice, ModelEstimate } from './model-estimate.js';
import type { ProbedSpeed } from './probe-speeds.js';

/** One model with what is known of its file and of what it has to do. */
export interface EstimatedModel {
  readonly model: ModelSpec;
  /** null: its file is not here. */
  readonly cpuWork: ModelWork | null;
  readonly file: Pick<ModelEstimate, 'state' | 'bytes' | 'bytesFrom'>;
  /** Bytes of its files that are to be read for their hashes. */
  readonly toHash: number;
  /** null when some data set has no known size. */
  readonly work: Work | null;
}

/** What is known of the speed of models, by id. */
export interface KnownSpeeds {
  readonly probed: ReadonlyMap<string, ProbedSpeed>;
  /** Tokens per second of an earlier run, its load included. */
  readonly measured: ReadonlyMap<string, number>;
}

/** Where a model runs: how many cores it has to itself, and how replies are written. */
export interface TimedOn
  extends Pick<EstimateDevice, 'device' | 'cores'>,
    Pick<SuiteSpec['elicitation'], 'structured'> {}

/** How long a model takes, and how that is known. */
export type ModelTime = Pick<
  ModelEstimate,
  | 'tokens'
  | 'tokensFrom'
  | 'longestTokens'
  | 'generatedTokens'
  | 'tokensPerSecond'
  | 'speedFrom'
  | 'startSeconds'
  | 'hours'
>;

/** The best knowledge first. */
const SPEED_FROM = ['probed', 'measured', 'counted', 'assumed'] as const;
/** Cells of a cache are looked at in such pieces. */
const CELLS = 256;
/** Nanoseconds of a row beside its evaluation: read, sent and stored (the demo models' runs, bench/README.md). */
const ROW = 1e6;
/** Seconds of a model's start and end in a child process that is there: contexts, messages, memory given back. */
const START = 0.2;
/** Nanoseconds of loading for a token of the vocabulary and a byte (49k to 262k tokens, 0.1 to 0.5 GB). */
const LOAD_TOKEN = 6500;
const LOAD_BYTE = 0.3;
/** Nanoseconds of reading a byte for the file's sha256, where that is not kept (0.8 to 1.2 GB/s). */
const HASH_BYTE = 1;
/** Seconds of one core for a command and its first child process: programs read, the library tried and started. */
const COMMAND_SECONDS = 0.4;
export const CHILD_SECONDS = 1.1;

/**
 * The time of a model on its own: from two seconds of it just now, from an earlier run, from the weights of its file,
 * or from their number. What an earlier run measured holds for prompts: a model that wrote replies in that run says
 * nothing of either alone.
 *
 * @param factor how much longer other models took than the weights of their files said
 */
export function modelTime(
  estimated: EstimatedModel,
  { probed, measured }: KnownSpeeds,
  { device, cores, structured }: TimedOn,
  factor = 1,
): ModelTime {
  const { model, file, work } = estimated;
  const counted = device === 'cpu' ? countedSpeed(estimated, cores) : undefined;
  const billions = model.parameters ?? (file.bytes === null ? undefined : (file.bytes * 8) / 8.5 / 1e9);
  const sized = { parameters: billions, activeParameters: model.activeParameters };
  const products = cardProducts();
  const kernels = kernelsFor({ ...sized, bytes: file.bytes }, products);
  const assumed = estimateSpeed(sized, device, cores, kernels) ?? undefined;
  const probe = probed.get(model.id);
  const own = { probed: probe && probedSpeed(estimated, probe, cores), counted: counted && counted / factor, assumed };
  const speeds = { measured: measuredSpeed(estimated, measured), ...(file.state !== 'served' && own) };
  const from = SPEED_FROM.find((each) => speeds[each] !== undefined) ?? null;
  const speed = file.state === 'imported' || from === null ? null : (speeds[from] ?? null);
  const drawn = { device, reader: readerFile(device) !== null, whole: isWhole(file.bytes, billions), products };
  const known = speed === null || from === null ? null : startOf(estimated, { from, probe, factor });
  const asked = work !== null && work.evaluatedTokens + work.generatedTokens > 0;
  const checked = from === 'counted' && speed !== null && work !== null ? firstRows(work, speed, cores) : 0;
  const hashed = (estimated.toHash * HASH_BYTE) / 1e9;
  const startSeconds = known === null || work === null ? null : asked ? known + checked + hashed : 0;
  return {
    tokens: work?.evaluatedTokens ?? null,
    longestTokens: work?.longest ?? null,
    generatedTokens: work?.generatedTokens ?? null,
    tokensPerSecond: speed,
    tokensFrom: work === null ? null : work.counted ? 'counted' : 'estimated',
    speedFrom: speed === null ? null : from,
    startSeconds,
    hours:
      speed === null || work === null
        ? null
        : estimateHours(work, speed, drawn, structured) + (startSeconds ?? 0) / 3600,
  };
}

/** How much longer a model whose speed is known took than the weights of its file say; null: one of them is unknown. */
export function timeFactor(estimated: EstimatedModel, known: KnownSpeeds, on: TimedOn): number | null {
  if (on.device !== 'cpu') return null;
  const without: KnownSpeeds = { probed: new Map(), measured: new Map() };
  const [taken, said] = [modelTime(estimated, known, on), modelTime(estimated, without, on)];
  const isKnown = taken.speedFrom === 'probed' || taken.speedFrom === 'measured';
  return isKnown && said.speedFrom === 'counted' && taken.hours && said.hours ? taken.hours / said.hours : null;
}

/** Seconds of a run that are no model's; 0 where no file is asked anything. */
export function commandSeconds(estimated: readonly EstimatedModel[]): number {
  const isScored = ({ file: { state }, work }: EstimatedModel) =>
    state !== 'imported' && state !== 'served' && work !== null && work.asked > 0;
  return estimated.some(isScored) ? COMMAND_SECONDS + CHILD_SECONDS : 0;
}

/**
 * Seconds that the first two rows take beyond their share: one core evaluates both while another one compares the last
 * of them, and the others wait.
 */
function firstRows({ evaluatedTokens, asked }: Work, speed: number, cores: number): number {
  const row = (evaluatedTokens / Math.max(1, asked) / speed) * cores;
  return row * Math.max(1, 2 - 2 / cores);
}

function measuredSpeed({ model, work }: EstimatedModel, measured: KnownSpeeds['measured']): number | undefined {
  return measured.get(work?.generatedTokens ? (model.base ?? model.id) : model.id);
}

/** Seconds before the first rows. An earlier run was timed with its load. */
function startOf(
  { cpuWork, file }: EstimatedModel,
  { from, probe, factor }: { from: (typeof SPEED_FROM)[number]; probe: ProbedSpeed | undefined; factor: number },
): number {
  if (from === 'measured') return 0;
  if (from === 'probed') return probe?.start ?? 0;
  const nanoseconds = (cpuWork?.vocabulary ?? 0) * LOAD_TOKEN + (file.bytes ?? 0) * LOAD_BYTE;
  return from === 'assumed' ? 0 : factor * (START + nanoseconds / 1e9);
}

/** The weights of a file say how prompts of another length than those that were tried compare with them. */
function probedSpeed(estimated: EstimatedModel, { tokens, rows, seconds }: ProbedSpeed, cores: number): number {
  const { work } = estimated;
  const there = countedSpeed({ ...estimated, work: work && { ...work, evaluatedTokens: tokens, asked: rows } }, cores);
  const here = countedSpeed(estimated, cores);
  return there === undefined || here === undefined ? tokens / seconds : (here * tokens) / seconds / there;
}

/** By the weights of a file and their types; the output matrix counts once a prompt. */
function countedSpeed({ model, cpuWork, work }: EstimatedModel, cores: number): number | undefined {
  if (cpuWork === null || work === null || work.evaluatedTokens === 0) return undefined;
  const { parameters, activeParameters } = model;
  const active = activeParameters === undefined || parameters === undefined ? 1 : activeParameters / parameters;
  const length = work.evaluatedTokens / Math.max(1, work.asked);
  const positions = CELLS * Math.ceil(length / CELLS);
  const layers = cpuWork.perToken * active + cpuWork.perPosition * positions;
  const nanoseconds = layers + (cpuWork.perPrompt + ROW) / length;
  return cpuWork.perToken === 0 ? undefined : (cores * 1e9) / nanoseconds;
}
