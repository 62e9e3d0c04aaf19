import type { TrialTime } from '../../engine/protocol/protocol.js';
import type { FittedPlan } from '../memory/fit-plan.js';
import type { Shape } from './search-shape.js';

export const NO_MEMORY =
  'there is no memory for its contexts: end what else runs on the card, or set scoring: { contexts: 1 } in models.yaml';

/** Why the trial of the given shape says nothing; null: it does. */
export function untold(first: TrialTime | null, leastMs: number): string | null {
  if (first === null) return NO_MEMORY;
  const { rows, seconds, fault } = first;
  if (rows === 0) return 'no prompt of the suite can be scored with it';
  if (fault !== null) return fault;
  if (1000 * seconds >= leastMs) return null;
  return (
    `its ${rows} prompts take ${seconds.toFixed(2)} s, too short a time to tell shapes apart: ` +
    'tune with a suite of more examples'
  );
}

/** Why a shape is not tried; null: there is memory for it. */
export function misfit(shape: Shape, fitted: FittedPlan): string | null {
  if (fitted.kind === 'refused') return fitted.reason;
  const { plan, note } = fitted;
  if (plan.contexts === shape.contexts && plan.sequences === shape.sequences) return null;
  if (plan.sequences !== shape.sequences) return note ?? NO_MEMORY;
  return `${note ?? NO_MEMORY}; scoring: { contexts: ${plan.contexts} } in models.yaml lets the rest be tuned`;
}
