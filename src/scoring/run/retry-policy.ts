import type { Company } from '../../engine/protocol/protocol.js';

/** What one child process may use; the rest of its settings never changes. */
export interface AttemptSettings {
  readonly sequences: number;
  readonly contexts: number;
  readonly batchSize: number;
  /** Whether `sequences` and `batchSize` decide numbers: with `always` alone. */
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
 * The settings of the next child; null: give up. It has one context and a quarter of the prompts in hand, so that a
 * crash costs fewer of them. Where company changes the numbers of a prompt (`company` always), what is evaluated
 * together stays, so that the rows of one key never come from two shapes.
 */
export function nextAttempt(settings: AttemptSettings, record: CrashRecord): AttemptSettings | null {
  if (record.atOnePlace >= CRASHES_AT_ONE_PLACE || record.total >= CRASHES_IN_ALL) return null;
  const { company = 'always', sequences } = settings;
  const one = { ...settings, contexts: 1 };
  return company === 'always' ? one : { ...one, sequences: Math.max(1, Math.floor(sequences / 4)) };
}
