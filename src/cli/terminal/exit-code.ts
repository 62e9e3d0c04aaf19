import type { ErrorCode } from '../../errors/supportcal-error.js';

/** Exit codes that scripts may rely on. */
export const EXIT = { done: 0, internal: 1, usage: 2, badInput: 3, partial: 4, sigint: 130, sigterm: 143 } as const;

const BY_CODE: Record<ErrorCode, number> = {
  usage: EXIT.usage,
  'bad-input': EXIT.badInput,
  'missing-file': EXIT.badInput,
  'missing-scores': EXIT.badInput,
  'model-load': EXIT.badInput,
  scoring: EXIT.partial,
  'cache-damaged': EXIT.badInput,
  'cache-busy': EXIT.internal,
  'write-failed': EXIT.badInput,
  interrupted: EXIT.sigint,
  internal: EXIT.internal,
};

export function exitCodeOf(code: ErrorCode): number {
  return BY_CODE[code];
}
