import { planSlots } from '../../scoring/memory/plan-slots.js';
import { machineOf } from '../../scoring/memory/worker-plan.js';
import type { EstimateDevice } from './model-estimate.js';

/** Models in the groups in which they run: tiny ones side by side on a core each, others one after the other. */
export interface SideBySide {
  /** Cores that a model has to itself. */
  readonly coresOf: (id: string) => number;
  /** How long all of them take, in the unit of what each takes. */
  readonly together: (timeOf: (id: string) => number) => number;
}

export function sideBySide(
  models: readonly { readonly model: string; readonly bytes: number | null }[],
  { device, cores }: Pick<EstimateDevice, 'device' | 'cores'>,
): SideBySide {
  const sized = models.map(({ model, bytes }) => ({ id: model, bytes: bytes ?? Number.POSITIVE_INFINITY }));
  const stages = planSlots(sized, machineOf({ device, cores }));
  return {
    coresOf: (id) => stages.find(({ models: all }) => all.includes(id))?.threads ?? cores,
    together: (timeOf) =>
      stages.reduce((sum, { models: all, slots }) => {
        const times = all.map(timeOf);
        return sum + Math.max(...times, times.reduce((total, each) => total + each, 0) / slots);
      }, 0),
  };
}
