import { availableParallelism } from 'node:os';
import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ScoredRow } from '../../contract/scored-row.js';
import type { AnyModelJob, ModelJob, ModelOutcome, ScoringEvents, ScoringJob } from '../../contract/scorer.js';
import type { FoundModel, ModelSource } from '../../contract/source.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { ScoringEngine } from '../../scoring/pool-maker.js';
import { modelRunner } from '../../scoring/score-models.js';
import { slowStream } from './slow-stream.js';

/** Scores prompts as they come, one group after the other, in no cache. */
export interface QuestionScorer {
  /** One row for each prompt, in their order. Ids of one group must differ. */
  score(prompts: readonly ExamplePrompt[]): Promise<ScoredRow[]>;
  /** Ends those who did the work. */
  close(): Promise<void>;
}

/** A model that scores, and where. */
export interface ScoringModel {
  readonly model: ModelSpec;
  readonly source: ModelSource;
  readonly found: FoundModel;
  readonly device: Device;
}

/**
 * A scorer of one model, whose child process stays between two groups. The model itself stays loaded where questions
 * come a few at a time; a large group is spread over all that the machine has, for which it is loaded anew.
 */
export function questionScorer(
  { model, source, found, device }: ScoringModel,
  events: ScoringEvents,
  signal: AbortSignal,
  engine: ScoringEngine = {},
): QuestionScorer {
  const { place } = found;
  const settings = { device, cores: availableParallelism(), signal };
  const unchanged = found.watch();
  const runner = place.kind === 'gguf' ? modelRunner({ model, place }, settings, events, engine) : null;
  const slow = place.kind === 'gguf' ? slowStream({ model, place }, settings, { events, engine }) : null;
  const run = async (job: AnyModelJob): Promise<ModelOutcome | undefined> => {
    if (runner !== null && job.place.kind === 'gguf') return runner.run(job as ModelJob, events);
    return (await source.score?.([job], settings, events))?.[0];
  };
  return {
    async score(prompts) {
      const few = (await slow?.score(prompts)) ?? null;
      if (few !== null) {
        if (signal.aborted) throw new SupportCalError('interrupted', 'scoring was interrupted');
        await unchanged();
        return few;
      }
      const rows = new Map<string, ScoredRow>();
      const job: ScoringJob = {
        dataset: 'questions',
        prompts,
        onRows: async (some) => {
          await unchanged();
          for (const row of some) rows.set(row.id, row);
        },
      };
      const outcome = await run({ model, place, jobs: [job] });
      if (signal.aborted) throw new SupportCalError('interrupted', 'scoring was interrupted');
      if (outcome?.kind !== 'done') {
        const reason = outcome?.reason ?? `its source (${source.kind}) scores nothing`;
        throw new SupportCalError('scoring', `${model.id}: ${reason}`);
      }
      slow?.seen(rows.values());
      return prompts.map(({ id }) => {
        const failed: ScoredRow = { status: 'failed', id, reason: 'no scores came', promptTokens: 0 };
        return rows.get(id) ?? failed;
      });
    },
    async close() {
      await slow?.close();
      await runner?.close();
    },
  };
}
