import { SupportCalError } from '../errors/supportcal-error.js';

/** Refuses what cannot be put into bins: see `ece`. */
export function checkMeasured(confidences: ArrayLike<number>, correct: ArrayLike<number | boolean>): void {
  const counts = [confidences, correct].map((list) => Number(list?.length ?? Number.NaN));
  const [count = Number.NaN, flags] = counts;
  if (!(count >= 1)) throw fault('confidences', 'expected a list of at least one number in [0, 1]');
  if (flags !== count) throw fault('correct', `expected ${count} flags, one for each confidence, found ${flags}`);
  for (let n = 0; n < count; n++) {
    const [confidence, right]: unknown[] = [confidences[n], correct[n]];
    if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1))
      throw fault(`confidences.${n}`, `expected a number in [0, 1], found ${String(confidence)}`);
    if (typeof right !== 'boolean' && right !== 0 && right !== 1)
      throw fault(`correct.${n}`, `expected true or false, or 1 or 0, found ${String(right)}`);
  }
}

function fault(field: string, message: string): SupportCalError {
  return new SupportCalError('bad-input', { field, message });
}
