import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';

/** The device that a model is scored on in a run on `device`: the CPU beside its cards where models.yaml says so. */
export function deviceFor({ scoring }: Pick<ModelSpec, 'scoring'>, device: Device): Device {
  return scoring?.device ?? device;
}
