import { SupportCalError } from '../../errors/supportcal-error.js';
import { deviceFor } from '../../scoring/device/device-for.js';
import { deviceMemory } from '../../scoring/device/remembered-device.js';
import { resolveDevice } from '../../scoring/device/resolve-device.js';
import { sourceOf } from '../../scoring/source/source-of.js';
import { probeModel } from '../score/probe-model.js';
import type { RunOptions } from '../workspace/run-options.js';
import type { ScoringModel } from './question-scorer.js';
import type { QuestionSettings } from './question-settings.js';

/** The model of the questions, found, fetched where it is on the hub, and the device that scores it. */
export async function openModel(
  settings: Pick<QuestionSettings, 'model' | 'models' | 'hub'>,
  options: Pick<RunOptions, 'cache' | 'gpu'>,
): Promise<ScoringModel> {
  const { model, models, hub } = settings;
  const workspace = { models, hub, options: { cache: options.cache } };
  const source = sourceOf(workspace, model);
  const unfound = source.needs.network ? await source.lookUp() : null;
  const found = unfound === null ? await source.find() : { reason: unfound };
  if ('reason' in found) throw new SupportCalError('bad-input', { file: model.file, message: found.reason });
  const unfetched = found.missing.length > 0 ? await source.fetch() : null;
  if (unfetched !== null) throw new SupportCalError('missing-file', { file: model.file, message: unfetched });
  const fetched = found.missing.length > 0 ? await source.find() : found;
  if ('reason' in fetched) throw new SupportCalError('bad-input', { file: model.file, message: fetched.reason });
  const decodeWith = probeModel();
  const device = source.needs.device
    ? await resolveDevice(options.gpu, deviceMemory(options.cache), {
        ...(decodeWith !== undefined && { modelPath: decodeWith }),
      })
    : 'cpu';
  return { model, source, found: fetched, device: deviceFor(model, device) };
}
