import type { Card, Device } from '../../contract/device.js';
import { cardProducts } from '../../library/chosen-build.js';
import type { BuildState } from '../../library/library-build.js';
import { checkModelFile } from '../../models/gguf/check-model-file.js';
import { deviceFor } from '../../scoring/device/device-for.js';
import { isWhole } from '../../scoring/memory/estimate-model.js';
import { tunedFor, wasTuned } from '../../scoring/source/tuned-shapes.js';
import { saidOf } from '../../scoring/tune/search-shape.js';
import type { InspectableModel } from './doctor-files.js';
import type { DoctorModel } from './doctor-model.js';

/** A model as far as advice on its file goes. */
export interface AdvisedModel {
  readonly model: string;
  /** Bytes of the file, and its weights. */
  readonly bytes: number;
  readonly weights: number;
  /** Bytes of device memory beside the weights. */
  readonly beside: number;
  readonly hasExperts: boolean;
  /** Whether it writes free text, whose shape nobody has looked for on this card. */
  readonly toTune: boolean;
}

/** What the device is and holds. */
interface AdvisedDevice {
  readonly device: Device;
  readonly names: readonly string[];
  readonly free: number;
  readonly build: BuildState;
  /** What is left of a run of the suite; null: unknown. */
  readonly hours: number | null;
}

/** A build takes five minutes or so of a machine: a run that is over before gains nothing by it. */
const WORTH_A_BUILD = 10 / 60;

export function isWorthABuild(hours: number | null): boolean {
  return hours === null || hours >= WORTH_A_BUILD;
}

/** Bytes of a weight in a file of 16 bits. */
const SIXTEEN = 2;
/** Cards on which cuBLAS was measured (docs/performance.md). */
const MEASURED = /\b(H100|H200|H800|GH200|GB?200|B200)\b/;
const OF_AN_8B = 'an 8B model on an H200, prompts of 200 tokens, docs/performance.md';

/** What would make prompts faster on this card, with the gain that was measured; empty where nothing is known to. */
export function cardAdvice(
  { device, names, free, build, hours }: AdvisedDevice,
  models: readonly AdvisedModel[],
): string[] {
  if (device !== 'cuda') return [];
  const known = models.filter(({ weights }) => weights > 0);
  const sixteen = known.filter(({ bytes, weights }) => isWhole(bytes, weights / 1e9));
  const packed = known.filter((model) => !sixteen.includes(model));
  const quantised = packed.filter(({ hasExperts }) => !hasExperts);
  const fitting = quantised.filter(({ weights, beside }) => SIXTEEN * weights + beside <= free);
  const isBuilt = build.kind === 'used';
  const whole = Math.max(0, ...fitting.map(({ weights, beside }) => SIXTEEN * weights + beside));
  const files =
    fitting.length === 0
      ? []
      : [
          `a BF16 file fits for ${fitting.map(({ model }) => model).join(', ')} (at most ${gigabytes(whole)} of ` +
            `${gigabytes(free)} free) and is the least lossy one: \`--quant BF16\`; 31,800 tokens/s for Q8_0's ` +
            `${isBuilt ? '28,100' : '13,000'} (${OF_AN_8B})`,
        ];
  const isMeasured = names.some((name) => MEASURED.test(name));
  const worthIt = !isBuilt && isWorthABuild(hours) && quantised.length > 0 && isMeasured;
  const setUp = worthIt
    ? [
        'a build for this card (`supportcal setup-gpu`, about 5 minutes) makes quantised files 2.2 times as fast: ' +
          `28,100 tokens/s for 13,000 (${OF_AN_8B}); prompts of files of 16 bits and of mixtures of experts gain nothing`,
      ]
    : [];
  return [
    ...files,
    ...setUp,
    ...expertsAdvice(build, packed),
    ...(isMeasured ? wholeExpertsAdvice(build, sixteen) : []),
    ...(isMeasured ? tuneAdvice({ build, hours }, models) : []),
  ];
}

/** What our own reader draws is fastest with more sequences than memory allows everywhere. */
function tuneAdvice(
  { build, hours }: Pick<AdvisedDevice, 'build' | 'hours'>,
  models: readonly AdvisedModel[],
): string[] {
  const writing = models.filter(({ toTune }) => toTune).map(({ model }) => model);
  const isDrawn = build.kind === 'used' && build.build.reader !== undefined;
  if (!isDrawn || !isWorthABuild(hours) || writing.length === 0) return [];
  return [
    `\`supportcal doctor --tune\` looks for the shape in which ${writing.join(', ')} writes free text fastest, a minute or two for ` +
      'each size of file: 1.5 x (an 8B model in Q8_0 on an H200, docs/performance.md); rows are then scored anew under keys of their own',
  ];
}

/** Without llama.cpp's own kernels every layer of experts that are packed waits for the host. */
function waitsForHost(build: BuildState): boolean {
  if (build.kind !== 'used') return false;
  const { cublas, chosen } = cardProducts(build.build);
  return cublas && !chosen;
}

function expertsAdvice(build: BuildState, packed: readonly AdvisedModel[]): string[] {
  const slow = expertModels(packed);
  if (slow === '' || !waitsForHost(build)) return [];
  return [
    `this build multiplies mixtures of experts (${slow}) by cuBLAS: \`supportcal setup-gpu\` once more adds a choice ` +
      'of kernels in seconds, 15,800 tokens/s for 4,200; SUPPORTCAL_BUILD=prebuilt in the environment takes the binary of the ' +
      'package, 14,300 (30B with 3B active in Q4_K_M on an H200, docs/performance.md)',
  ];
}

/** Experts of 16 bits are multiplied one by one by every build, and no choice of kernels changes that. */
function wholeExpertsAdvice(build: BuildState, whole: readonly AdvisedModel[]): string[] {
  const slow = expertModels(whole);
  if (slow === '') return [];
  const first = waitsForHost(build) ? ' after `supportcal setup-gpu` once more, 4,200 without' : '';
  return [
    `mixtures of experts in 16 bits (${slow}) are slow: 6,200 tokens/s for the 15,800 of ` +
      `a Q4_K_M file, which rounds more (\`--quant Q4_K_M\`${first}; 30B with 3B active on an H200, docs/performance.md)`,
  ];
}

/** Names of the mixtures of experts; empty: there are none. */
function expertModels(models: readonly AdvisedModel[]): string {
  return models.flatMap(({ model, hasExperts }) => (hasExperts ? [model] : [])).join(', ');
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

/** The models whose files are here. */
export async function advisedModels(
  files: readonly InspectableModel[],
  models: readonly DoctorModel[],
  { cache, device, card }: { readonly cache: string; readonly device: Device; readonly card: Card | undefined },
): Promise<AdvisedModel[]> {
  const all = await Promise.all(
    files.map(async (file): Promise<AdvisedModel[]> => {
      const memory = models.find(({ model }) => model === file.model.id)?.memory ?? null;
      if (!('job' in file) || memory === null) return [];
      const { path, bytes } = file.job.place;
      const checked = await checkModelFile(path, file.model.file ?? path).catch(() => null);
      if (checked === null) return [];
      const { weights, hasExperts } = checked;
      const isWriting = file.job.jobs.some(({ prompts }) => prompts.some(({ reply }) => reply?.form === null));
      const canTune = deviceFor(file.model, device) === device && !saidOf(file.model.scoring).has('sequences');
      const toTune =
        isWriting && canTune && card !== undefined && !(await wasTuned(cache, tunedFor(device, card.name, bytes)));
      return [{ model: file.model.id, bytes, weights, beside: memory.kvCache + memory.compute, hasExperts, toTune }];
    }),
  );
  return all.flat();
}
