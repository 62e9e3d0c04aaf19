import type { ModelJob, ModelOutcome, ScoringEvents } from './scorer.js';

/**
 * Moves the rows of a model to whoever scores them, and gives the rows back. Child processes of this machine are the
 * first who do (`localPool`).
 *
 * A job may hold any range of the rows of a data set: `sharing` of its parts is that of the whole data set, and the
 * shape of evaluation follows from model and device, so that a row has the same scores in whatever range it is scored.
 * (On a GPU last bits hang on which rows are evaluated together: there it has them up to those, see docs/cards.md.)
 * Rows go back through `onRows` and `onReplies` of their own part and no other way: a runner never writes the cache.
 */
export interface Runner {
  /**
   * Scores the rows of one model. Resolves when every row has been handed over, or with why the model cannot be scored;
   * the rows that came before stay. Models that find no free place wait in the order of the calls. Rejects only when
   * rows cannot be kept, that is when `onRows` does.
   */
  run(job: ModelJob, events: ScoringEvents): Promise<ModelOutcome>;
  /** Ends those who did the work. To be called when no `run` is under way. */
  close(): Promise<void>;
}
