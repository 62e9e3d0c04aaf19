import type { Device } from '../../contract/device.js';
import { planSlots } from '../../scoring/memory/plan-slots.js';
import { machineOf } from '../../scoring/memory/worker-plan.js';
import type { EstimateDevice } from './model-estimate.js';

/**
 * Models in the groups in which they run: tiny ones side by side on a core each, others one after the other, those of
 * the CPU beside those of cards.
 */
export interface SideBySide {
  /** Cores that a model has to itself. */
  readonly coresOf: (id: string) => number;
  /** How long all of them take, in the unit of what each takes. */
  readonly together: (timeOf: (id: string) => number) => number;
}

export function sideBySide(
  models: readonly { readonly model: string; readonly bytes: number | null; readonly device?: Device }[],
  { device, cores }: Pick<EstimateDevice, 'device' | 'cores'>,
): SideBySide {
  const devices = [...new Set(models.map((each) => each.device ?? device))];
  const pools = devices.map((on) => {
    const own = models.filter((each) => (each.device ?? device) === on);
    const sized = own.map(({ model, bytes }) => ({ id: model, bytes: bytes ?? Number.POSITIVE_INFINITY }));
    return planSlots(sized, machineOf({ device: on, cores }));
  });
  const ofPool = (stages: (typeof pools)[number], timeOf: (id: string) => number) =>
    stages.reduce((sum, { models: all, slots }) => {
      const times = all.map(timeOf);
      return sum + Math.max(...times, times.reduce((total, each) => total + each, 0) / slots);
    }, 0);
  return {
    coresOf: (id) => pools.flat().find(({ models: all }) => all.includes(id))?.threads ?? cores,
    together: (timeOf) => Math.max(0, ...pools.map((stages) => ofPool(stages, timeOf))),
  };
}
