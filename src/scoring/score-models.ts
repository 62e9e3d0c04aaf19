import { setMaxListeners } from 'node:events';
import type { Runner } from '../contract/runner.js';
import type { ModelJob, ModelOutcome, ScoringEvents, ScoringSettings } from '../contract/scorer.js';
import { planSlots, type SlotStage } from './memory/plan-slots.js';
import { heardBy, readAhead } from './memory/read-ahead.js';
import { machineOf } from './memory/worker-plan.js';
import { poolMaker, type ScoringEngine } from './pool-maker.js';

/**
 * Scores every model: one child process per model and device slot, all its data sets, then the next model; with
 * several cards, one child per card, among which the rows of a model may be divided. The outcomes stand in the order of
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
  const stages = planSlots(
    modelJobs.map(({ model, place }) => ({ id: model.id, bytes: place.bytes })),
    machineOf(settings),
  );
  const inOrder = stages.map((stage) => jobsOf(stage, modelJobs));
  const ahead = readAhead(
    inOrder.flat().map(({ model, place }) => ({ id: model.id, path: place.path, bytes: place.bytes })),
  );
  const stop = new AbortController();
  const signal = settings.signal === undefined ? stop.signal : AbortSignal.any([settings.signal, stop.signal]);
  // Every model under way listens; on a machine of many cores that is no leak.
  setMaxListeners(0, signal);
  const poolOf = poolMaker({ ...settings, signal }, events, engine);
  const ends = new Map<ModelJob, ModelOutcome>();
  const failures: unknown[] = [];
  for (const [s, stage] of stages.entries()) {
    const pool = poolOf(stage);
    const runs = (inOrder[s] ?? []).map((job) =>
      pool.run(job, heardBy(ahead, events)).then(
        (outcome) => void ends.set(job, outcome),
        (error) => {
          failures.push(error);
          stop.abort();
        },
      ),
    );
    await Promise.all(runs);
    await pool.close();
  }
  await ahead.stop();
  if (failures.length > 0) throw failures[0];
  return modelJobs.flatMap((job) => ends.get(job) ?? []);
}

/**
 * A runner for one model on this machine, for whoever gets its rows bit by bit: the child processes stay until `close`.
 */
export function modelRunner(
  { model, place }: Pick<ModelJob, 'model' | 'place'>,
  settings: ScoringSettings & { readonly signal: AbortSignal },
  events: ScoringEvents,
  engine: ScoringEngine = {},
): Runner {
  const [stage] = planSlots([{ id: model.id, bytes: place.bytes }], machineOf(settings));
  if (stage === undefined) throw new RangeError(`no place to run ${model.id} was planned`);
  return poolMaker(settings, events, engine)(stage);
}

/** The jobs of a stage in the order in which they start. */
function jobsOf({ models }: SlotStage, modelJobs: readonly ModelJob[]): ModelJob[] {
  return models.flatMap((id) => modelJobs.find(({ model }) => model.id === id) ?? []);
}
