import type { ModelRow } from '../../contract/scored-row.js';

/** A share of fewer rows says nothing. */
const LEAST_ROWS = 50;

/** Share of its evaluated rows that a model may fail, where models.yaml says nothing. */
export const MAX_FAILED_SHARE = 0.5;

export interface FailedShare {
  /** Counts rows that were evaluated; prompts that were refused before (too long) are none. */
  count(rows: readonly ModelRow[]): void;
  /** Why the model is to be stopped; null: it goes on. */
  fault(): string | null;
}

/**
 * Watches how many rows of a model cannot be used (logits that are not finite, decodes that fail): a file whose
 * evaluation is broken should not take a night, nor end in an entry of failures.
 */
export function failedShare(limit: number, leastRows = LEAST_ROWS): FailedShare {
  let [evaluated, failed] = [0, 0];
  let reason = '';
  return {
    count(rows) {
      evaluated += rows.length;
      for (const row of rows) {
        if (row.status !== 'failed') continue;
        failed++;
        reason = row.reason;
      }
    },
    fault: () =>
      evaluated < leastRows || failed <= limit * evaluated
        ? null
        : `${failed} of ${evaluated} evaluated rows failed, a larger share than scoring.maxFailedShare allows ` +
          `(${limit}), so the model was stopped; its last failure: ${reason}`,
  };
}
