import type { Device } from '../../contract/device.js';
import type { BuildState } from '../../library/library-build.js';
import { nodeLlamaCppVersion } from '../../library/native-versions.js';
import { isWhole } from '../../scoring/memory/estimate-model.js';
import { type AdvisedModel, isWorthABuild } from './card-advice.js';

interface AdvisedProcessor {
  /** What a run would use. */
  readonly device: Device;
  readonly build: BuildState;
  /** What is left of a run of the suite; null: unknown. */
  readonly hours: number | null;
  readonly platform?: string;
  readonly nodeLlamaCpp?: string;
}

/** Where the prebuilt binary was looked into: another one may come from another compiler. */
const MEASURED_PLATFORM = 'linux x64';
const MEASURED_RELEASE = /^3\.22\./;

/** Whether a build for this processor is worth its minutes: for files of 16 bits; empty where nothing is known. */
export function cpuAdvice(
  {
    device,
    build,
    hours,
    platform = `${process.platform} ${process.arch}`,
    nodeLlamaCpp = nodeLlamaCppVersion(),
  }: AdvisedProcessor,
  models: readonly AdvisedModel[],
): string[] {
  if (device !== 'cpu' || build.kind === 'used' || build.kind === 'refused' || !isWorthABuild(hours)) return [];
  if (platform !== MEASURED_PLATFORM || !MEASURED_RELEASE.test(nodeLlamaCpp)) return [];
  const whole = models.filter(({ bytes, weights }) => weights > 0 && isWhole(bytes, weights / 1e9));
  if (whole.length === 0) return [];
  return [
    'a build for this processor (`supportcal setup-cpu`, nine minutes of processor time) makes files of 16 bits twice as ' +
      `fast (${whole.map(({ model }) => model).join(', ')}), quantised ones by 4 to 12 % (docs/performance.md)`,
  ];
}
