import type { AnyModelJob, ModelOutcome, Scorer } from '../../contract/scorer.js';
import type { ModelSource } from '../../contract/source.js';

/**
 * A scorer that gives every job to the source of its model, by model id. Sources work at the same time, since they need
 * different things; the jobs of one source come to its scorer together, which plans for all of them. A model whose
 * source scores nothing fails alone.
 */
export function scoreBySource(sources: ReadonlyMap<string, ModelSource>): Scorer {
  return async (jobs, settings, events) => {
    const scorerOf = ({ model }: AnyModelJob) => sources.get(model.id)?.score ?? failEach;
    const scorers = [...new Set(jobs.map(scorerOf))];
    const shareOf = (score: Scorer) => jobs.filter((job) => scorerOf(job) === score);
    const ends = await Promise.allSettled(scorers.map((score) => score(shareOf(score), settings, events)));
    // Nobody is left at work when a fault of one source ends the run.
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const outcomes = ends.flatMap((end) => (end.status === 'fulfilled' ? end.value : []));
    const byModel = new Map(outcomes.map((outcome) => [outcome.model, outcome]));
    return jobs.flatMap(({ model }) => byModel.get(model.id) ?? []);
  };
}

async function failEach(jobs: readonly AnyModelJob[]): Promise<ModelOutcome[]> {
  return jobs.map(({ model }) => ({ kind: 'failed', model: model.id, reason: 'its source scores nothing here' }));
}
