import { SupportCalError } from '../../errors/supportcal-error.js';

/** What a target was asked for an answer method; a method that was not asked for is an error of the caller. */
export function asked<T>(given: T | null | undefined): T {
  if (given != null) return given;
  throw new SupportCalError('internal', { message: 'an answer method was run on a target that was not asked for it' });
}
