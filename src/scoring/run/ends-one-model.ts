import { type ErrorCode, SupportCalError } from '../../errors/supportcal-error.js';

const OF_ONE_MODEL: ReadonlySet<ErrorCode> = new Set(['bad-input', 'cache-busy']);

/**
 * Whether a fault of `onRows` ends one model and no other: its file was replaced, or another run has taken its entry
 * over. Any other, such as a full disk, ends the run.
 */
export function endsOneModel(error: unknown): error is SupportCalError {
  return error instanceof SupportCalError && OF_ONE_MODEL.has(error.code);
}
