import type { Device } from '../../contract/device.js';
import type { InspectedModel, PromptCounts } from '../../contract/inspection.js';
import type { Inspection } from '../../scoring/inspect-models.js';
import { type MemoryPlan, mappedBytes, memoryNumbers, memoryPlan } from '../../scoring/memory/memory-plan.js';
import type { AskedPrompts, InspectableModel } from './doctor-files.js';

export interface DoctorModel {
  readonly model: string;
  readonly file: string | null;
  readonly bytes: number | null;
  readonly prompt: 'raw' | 'chat';
  /** null: imported scores, a file of the hub that is not here, or one that could not be looked into. */
  readonly facts: InspectedModel | null;
  readonly memory: MemoryPlan | null;
  /** What its vocabulary makes of each thing it is asked; empty where it is not known. */
  readonly asked: ReadonlyArray<AskedPrompts & PromptCounts>;
  readonly problems: readonly string[];
}

/** Joins what is known of a model and names everything that would take it out of a run. */
export function examine(
  file: InspectableModel,
  inspection: Inspection | null,
  free: number,
  device: Device,
): DoctorModel {
  const { model } = file;
  const job = 'job' in file ? file.job : null;
  const base = { model: model.id, file: model.file ?? null, bytes: job?.place.bytes ?? null, prompt: model.prompt };
  const nothing = { facts: null, memory: null, asked: [] };
  if ('reason' in file) return { ...base, ...nothing, problems: file.reason === null ? [] : [file.reason] };
  if (inspection === null) return { ...base, ...nothing, problems: ['was not looked into'] };
  if (inspection.kind === 'failed') return { ...base, ...nothing, problems: [inspection.reason] };
  const { facts } = inspection;
  const { device: its = device, gpuLayers } = model.scoring ?? {};
  const mapped = mappedBytes(file.job.place.bytes, { device: its, ...(gpuLayers !== undefined && { gpuLayers }) });
  const memory = memoryPlan(facts.memory, mapped, free);
  const asked = file.asked.flatMap((each, n) => {
    const counts = facts.counts[n];
    return counts === undefined ? [] : [{ ...each, ...counts }];
  });
  return { ...base, facts, memory, asked, problems: problemsOf(facts, memory, device) };
}

function problemsOf(facts: InspectedModel, memory: MemoryPlan, device: string): string[] {
  const problems: string[] = [];
  if (!memory.fits) {
    const fewer = fewerThatFit(facts.sequences, memory);
    problems.push(
      `does not fit: ${memoryNumbers(memory, device)}; ` +
        (fewer === null ? 'use a smaller file' : `of its ${facts.sequences} sequences a run will use about ${fewer}`),
    );
  }
  if (facts.trainContextSize > 0 && facts.longest > facts.trainContextSize) {
    problems.push(`its longest prompt has ${facts.longest} tokens, its context ${facts.trainContextSize}`);
  } else if (facts.longest > facts.contextSize) {
    problems.push(
      `its longest prompt has ${facts.longest} tokens, and models.yaml gives it contextSize: ${facts.contextSize}`,
    );
  }
  const refused = facts.counts.reduce((sum, counts) => sum + counts.refused, 0);
  const first = facts.counts.find(({ firstRefusal }) => firstRefusal !== null)?.firstRefusal;
  if (refused > 0) problems.push(`${refused} prompts cannot be scored, the first is ${first}`);
  return problems;
}

/** The most sequences, as a power of two, whose share of the cache leaves enough; null: not even one does. */
function fewerThatFit(sequences: number, { weights, kvCache, compute, free }: MemoryPlan): number | null {
  const most = Math.min(sequences - 1, Math.floor(((free - weights - compute) * sequences) / kvCache));
  return most >= 1 ? 2 ** Math.floor(Math.log2(most)) : null;
}

/** What an estimate of a run takes from the look at a model. */
export type ExaminedModel = Pick<DoctorModel, 'model' | 'bytes' | 'asked' | 'memory'>;
