import { setMaxListeners } from 'node:events';
import type { AnyModelJob, ModelOutcome, Scorer } from '../contract/scorer.js';
import { type DispatchSettings, queueRunner } from './queue-runner.js';

/**
 * A scorer whose work is done by workers on a queue. All models go out at once, so that every worker finds one; the
 * outcomes stand in the order of the jobs.
 */
export function queueScorer(settings: Omit<DispatchSettings, 'signal' | 'device'>): Scorer {
  return async (jobs, { device, signal: given }, events) => {
    const stop = new AbortController();
    const signal = given === undefined ? stop.signal : AbortSignal.any([given, stop.signal]);
    // Every model listens.
    setMaxListeners(0, signal);
    const runner = await queueRunner({ ...settings, device, signal }, jobs.length);
    const run = async ({ place, ...job }: AnyModelJob): Promise<ModelOutcome> =>
      place.kind === 'gguf'
        ? runner.run({ ...job, place }, events)
        : { kind: 'failed', model: job.model.id, reason: 'only models with a GGUF file go over a queue' };
    try {
      const runs = jobs.map((job) =>
        run(job).catch((error: unknown) => {
          stop.abort();
          throw error;
        }),
      );
      const ends = await Promise.allSettled(runs);
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
      return ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    } finally {
      await runner.close();
    }
  };
}
