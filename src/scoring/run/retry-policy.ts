/** What one child process may use; the rest of its settings never changes. */
export interface AttemptSettings {
  readonly sequences: number;
  readonly contexts: number;
  readonly batchSize: number;
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

/** The settings of the next child: a quarter of the sequences, half of the batch, one context. Null: give up. */
export function nextAttempt(settings: AttemptSettings, record: CrashRecord): AttemptSettings | null {
  if (record.atOnePlace >= CRASHES_AT_ONE_PLACE || record.total >= CRASHES_IN_ALL) return null;
  return {
    sequences: Math.max(1, Math.floor(settings.sequences / 4)),
    contexts: 1,
    batchSize: Math.max(256, Math.floor(settings.batchSize / 2)),
  };
}
