import { setMaxListeners } from 'node:events';
import type { Runner } from '../contract/runner.js';
import type { ModelJob, ModelOutcome, ScoringEvents, ScoringSettings } from '../contract/scorer.js';
import { deviceFor } from './device/device-for.js';
import { planSlots, type SlotStage } from './memory/plan-slots.js';
import { heardBy, readAhead } from './memory/read-ahead.js';
import { machineOf } from './memory/worker-plan.js';
import { poolMaker, type ScoringEngine } from './pool-maker.js';

/**
 * Scores every model: one child process per model and device slot, all its data sets, then the next model; with
 * several cards, one child per card, among which the rows of a model may be divided. Models that models.yaml gives to
 * the CPU are scored there meanwhile. The outcomes stand in the order of
 * `modelJobs`; a model that cannot be scored is a `failed` outcome while the others go on. After an abort the models
 * that were not through are `failed` with the reason "interrupted"; their delivered rows stay. Rejects only when an
 * `onRows` does (rows that cannot be kept), or when a card was asked for that is not there; every child has ended then.
 */
export async function scoreModels(
  modelJobs: readonly ModelJob[],
  settings: ScoringSettings,
  events: ScoringEvents,
  engine: ScoringEngine = {},
): Promise<ModelOutcome[]> {
  const stop = new AbortController();
  const signal = settings.signal === undefined ? stop.signal : AbortSignal.any([settings.signal, stop.signal]);
  // Every model under way listens; on a machine of many cores that is no leak.
  setMaxListeners(0, signal);
  const ends = new Map<ModelJob, ModelOutcome>();
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => {
    failures.push(error);
    stop.abort();
  };
  const pools = poolsOf(modelJobs, settings).map(([jobs, on]) =>
    scoreOn(jobs, { ...on, signal }, { events, engine, ends, onFailure }).catch(onFailure),
  );
  await Promise.all(pools);
  if (failures.length > 0) throw failures[0];
  return modelJobs.flatMap((job) => ends.get(job) ?? []);
}

type OnDevice = ScoringSettings & { readonly signal: AbortSignal };

/** The models of each device, and what it has. Beside cards the CPU leaves one core to their processes. */
function poolsOf(modelJobs: readonly ModelJob[], settings: ScoringSettings): [ModelJob[], ScoringSettings][] {
  const { devices: _, ...ofCpu } = settings;
  const cores = Math.max(1, settings.cores - 1);
  const own = modelJobs.filter(({ model }) => deviceFor(model, settings.device) === settings.device);
  const beside = modelJobs.filter((job) => !own.includes(job));
  const pools: [ModelJob[], ScoringSettings][] =
    beside.length === 0 ? [] : [[beside, { ...ofCpu, device: 'cpu', cores }]];
  return own.length === 0 && pools.length > 0 ? pools : [[own, settings], ...pools];
}

interface Scoring {
  readonly events: ScoringEvents;
  readonly engine: ScoringEngine;
  readonly ends: Map<ModelJob, ModelOutcome>;
  readonly onFailure: (error: unknown) => void;
}

async function scoreOn(
  modelJobs: readonly ModelJob[],
  settings: OnDevice,
  { events, engine, ends, onFailure }: Scoring,
): Promise<void> {
  const stages = planSlots(
    modelJobs.map(({ model, place }) => ({ id: model.id, bytes: place.bytes })),
    machineOf(settings),
  );
  const inOrder = stages.map((stage) => jobsOf(stage, modelJobs));
  const ahead = readAhead(
    inOrder.flat().map(({ model, place }) => ({ id: model.id, path: place.path, bytes: place.bytes })),
  );
  const poolOf = poolMaker(settings, events, engine);
  for (const [s, stage] of stages.entries()) {
    const pool = poolOf(stage);
    const runs = (inOrder[s] ?? []).map((job) =>
      pool.run(job, heardBy(ahead, events)).then((outcome) => void ends.set(job, outcome), onFailure),
    );
    await Promise.all(runs);
    await pool.close();
  }
  await ahead.stop();
}

/**
 * A runner for one model on this machine, for whoever gets its rows bit by bit: the child processes stay until `close`.
 */
export function modelRunner(
  { model, place }: Pick<ModelJob, 'model' | 'place'>,
  declared: OnDevice,
  events: ScoringEvents,
  engine: ScoringEngine = {},
): Runner {
  const settings = { ...declared, device: deviceFor(model, declared.device) };
  const [stage] = planSlots([{ id: model.id, bytes: place.bytes }], machineOf(settings));
  if (stage === undefined) throw new RangeError(`no place to run ${model.id} was planned`);
  return poolMaker(settings, events, engine)(stage);
}

/** The jobs of a stage in the order in which they start. */
function jobsOf({ models }: SlotStage, modelJobs: readonly ModelJob[]): ModelJob[] {
  return models.flatMap((id) => modelJobs.find(({ model }) => model.id === id) ?? []);
}
