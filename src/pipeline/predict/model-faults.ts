import type { ModelSpec } from '../../config/models-schema.js';
import type { FoundModel } from '../../contract/source.js';
import type { Fault } from '../../errors/supportcal-error.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';

/**
 * Why the temperature of an artefact may not hold for a model: its file, or its adapters, are not the ones that the fit
 * saw. None where they are the same to the byte.
 */
export function modelFaults(
  { target }: CalibrationArtefact,
  model: Pick<ModelSpec, 'file'>,
  found: Pick<FoundModel, 'sha256' | 'lora'>,
): Fault[] {
  const flag =
    '; export a calibration for this model, or use the temperature all the same (another quantisation, say) with ' +
    '--allow-other-model';
  const fault = (message: string): Fault => ({ file: model.file, message: message + flag });
  if (target.sha256 === null)
    return [
      fault(
        `the artefact was fitted on imported scores of "${target.id}", so nobody knows whether they are of this file`,
      ),
    ];
  const adapters = (lora: CalibrationArtefact['target']['lora']) =>
    lora.map(({ sha256, scale }) => `${sha256.slice(0, 12)} x ${scale}`).join(', ') || 'none';
  const here = adapters(found.lora.map(({ sha256, scale }) => ({ sha256, scale })));
  const there = adapters(target.lora);
  const fitted = `the artefact was fitted to ${target.sha256.slice(0, 12)} (${target.file})`;
  return [
    ...(found.sha256 === target.sha256
      ? []
      : [fault(`is another model: sha256 ${found.sha256.slice(0, 12)}, ${fitted}`)]),
    ...(here === there ? [] : [fault(`has the adapters ${here}, the artefact was fitted with ${there}`)]),
  ];
}
