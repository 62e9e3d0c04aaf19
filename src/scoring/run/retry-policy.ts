import type { Company } from '../../engine/protocol/protocol.js';

/** What one child process may use; the rest of its settings never changes. */
export interface AttemptSettings {
  readonly sequences: number;
  readonly contexts: number;
  readonly batchSize: number;
  /** `never`: no setting changes a number, and there is none to save. */
  readonly company?: Company;
}

export interface CrashRecord {
  /** Crashes without a delivered row since the one before. */
  readonly atOnePlace: number;
  readonly total: number;
}

const CRASHES_AT_ONE_PLACE = 3;
const CRASHES_IN_ALL = 12;

export const NO_CRASH: CrashRecord = { atOnePlace: 0, total: 0 };

export function afterCrash(record: CrashRecord, rowsSinceStart: number): CrashRecord {
  return { atOnePlace: rowsSinceStart > 0 ? 1 : record.atOnePlace + 1, total: record.total + 1 };
}

/**
 * The settings of the next child; null: give up. It has one context, which takes less memory and changes no number. Only
 * where no row has come yet does it also get a quarter of the sequences and half of the batch, which do change numbers:
 * the rows of one run never come from two shapes.
 *
 * @param rows that the model has delivered in this run
 */
export function nextAttempt(settings: AttemptSettings, record: CrashRecord, rows: number): AttemptSettings | null {
  if (record.atOnePlace >= CRASHES_AT_ONE_PLACE || record.total >= CRASHES_IN_ALL) return null;
  if (rows > 0 || settings.company === 'never') return { ...settings, contexts: 1 };
  return {
    ...settings,
    sequences: Math.max(1, Math.floor(settings.sequences / 4)),
    contexts: 1,
    batchSize: Math.max(256, Math.floor(settings.batchSize / 2)),
  };
}
