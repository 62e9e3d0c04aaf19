import type { ModelSpec } from '../config/models-schema.js';
import { freeDisk } from '../files/free-disk.js';
import type { ModelFacts } from '../scoring/contract.js';
import { ESTIMATE_RULES, estimateBytes, estimateMemory, estimateSpeed } from '../scoring/estimate-model.js';
import type { DoctorModel } from './doctor-model.js';
import { knownModel } from './hub-models.js';
import type { Workspace, WorkspaceDataset } from './load-workspace.js';
import { measuredSpeeds } from './measured-speeds.js';
import { rotationMethods } from './rotation-forms.js';

export interface ModelEstimate {
  readonly model: string;
  /** missing: of the hub, not downloaded; imported: no file is needed. */
  readonly state: 'here' | 'missing' | 'imported';
  /** Of the file; null: unknown. */
  readonly bytes: number | null;
  /** listed: the hub said so; estimated: from weights x bits. */
  readonly bytesFrom: 'file' | 'listed' | 'estimated' | null;
  readonly memory: number | null;
  readonly memoryFrom: 'file' | 'estimated' | null;
  readonly fits: boolean | null;
  /** To evaluate when nothing is cached; null when some data set has no known size. */
  readonly tokens: number | null;
  readonly tokensPerSecond: number | null;
  readonly speedFrom: 'measured' | 'assumed' | null;
  readonly hours: number | null;
}

export interface DatasetEstimate {
  readonly dataset: string;
  readonly state: 'here' | 'missing' | 'imported';
  readonly rows: number | null;
  /** Of one prompt, on average. */
  readonly promptTokens: number | null;
  readonly options: number | null;
}

/** What a whole run of the suite takes, from nothing in the cache. Sizes in bytes. */
export interface RunEstimate {
  readonly models: readonly ModelEstimate[];
  readonly datasets: readonly DatasetEstimate[];
  /** Files of the hub that are not here; `unknown` counts those of unknown size. */
  readonly download: { readonly files: number; readonly bytes: number; readonly unknown: number };
  /** Free where downloads go. */
  readonly freeDisk: number | null;
  /** null when that of some model is unknown. */
  readonly hours: number | null;
  readonly missing: readonly string[];
  readonly rules: readonly string[];
}

/** Characters of a token in English prompts, about. */
const TOKEN_CHARACTERS = 4;

/** Estimates a run from what is here, what the hub listed earlier, and what models.yaml and the data sets say. Asks nobody. */
export async function estimateRun(
  workspace: Workspace,
  examined: readonly DoctorModel[],
  device: { readonly backend: ModelFacts['backend']; readonly cores: number; readonly free: number },
): Promise<RunEstimate> {
  const datasets = workspace.datasets.map(datasetEstimate);
  const measured = await measuredSpeeds(workspace.options.out);
  const models: ModelEstimate[] = [];
  for (const model of workspace.plan.models) {
    const { bytes, from, here } = await sizeOf(
      workspace,
      model,
      examined.find((each) => each.model === model.id),
    );
    const planned = examined.find((each) => each.model === model.id)?.memory ?? null;
    const memory = planned?.total ?? (bytes === null ? null : estimateMemory(model, bytes));
    const tokens = tokensOf(workspace, datasets, model);
    const assumed = estimateSpeed(withParameters(model, bytes), device.backend, device.cores);
    const speed = model.file === undefined ? null : (measured.get(model.id) ?? assumed);
    models.push({
      model: model.id,
      state: model.file === undefined ? 'imported' : here ? 'here' : 'missing',
      ...{ bytes, bytesFrom: from, memory, tokens, tokensPerSecond: speed },
      memoryFrom: planned !== null ? 'file' : memory === null ? null : 'estimated',
      fits: memory === null ? null : memory <= device.free,
      speedFrom: speed === null ? null : measured.has(model.id) ? 'measured' : 'assumed',
      hours: speed === null || tokens === null ? null : tokens / speed / 3600,
    });
  }
  const absent = models.filter(({ state }) => state === 'missing');
  const scored = models.filter(({ state }) => state !== 'imported');
  return {
    ...{ models, datasets, rules: ESTIMATE_RULES },
    download: {
      files: absent.length,
      bytes: absent.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
      unknown: absent.filter(({ bytes }) => bytes === null).length,
    },
    freeDisk: await freeDisk(workspace.options.cache),
    hours: scored.some(({ hours }) => hours === null) ? null : scored.reduce((sum, { hours }) => sum + hours!, 0),
    missing: [
      ...datasets.filter(({ state }) => state === 'missing').map(({ dataset }) => `data set ${dataset}`),
      ...absent.map(({ model }) => `model ${model}`),
    ],
  };
}

/** Weights that models.yaml does not say: as many as fit into the file at 8.5 bits each. */
function withParameters({ parameters, activeParameters }: ModelSpec, bytes: number | null) {
  const fromFile = bytes === null ? undefined : (bytes * 8) / 8.5 / 1e9;
  const billions = parameters ?? fromFile;
  return { parameters: billions, activeParameters };
}

function datasetEstimate({ spec, content }: WorkspaceDataset): DatasetEstimate {
  const { size } = spec.yaml;
  if (content !== null && content.prompts.length > 0) {
    const { prompts } = content;
    const mean = (of: (prompt: (typeof prompts)[number]) => number) =>
      prompts.reduce((sum, prompt) => sum + of(prompt), 0) / prompts.length;
    return {
      ...{ dataset: spec.id, state: 'here', rows: prompts.length },
      promptTokens: Math.round(mean(({ text }) => text.length) / TOKEN_CHARACTERS),
      options: Math.round(mean(({ continuations }) => continuations.length)),
    };
  }
  const state = spec.yaml.source === undefined ? 'imported' : 'missing';
  const { rows = null, promptTokens = null, options = null } = size ?? {};
  return { dataset: spec.id, state, rows, promptTokens, options };
}

async function sizeOf(workspace: Workspace, model: ModelSpec, examined: DoctorModel | undefined) {
  if (model.file === undefined) return { bytes: null, from: null, here: false } as const;
  if (examined?.bytes != null) return { bytes: examined.bytes, from: 'file', here: true } as const;
  const known = await knownModel(workspace.hub, model.file).catch(() => null);
  if (known !== null) {
    return { bytes: known.reduce((sum, { listed }) => sum + listed.bytes, 0), from: 'listed', here: false } as const;
  }
  const bytes = estimateBytes(model);
  return { bytes, from: bytes === null ? null : 'estimated', here: false } as const;
}

/** Plain prompts, and for targets every order of the options where a method needs them; a shared beginning is not taken off. */
function tokensOf({ plan }: Workspace, datasets: readonly DatasetEstimate[], model: ModelSpec): number | null {
  const rotated = rotationMethods(plan).length > 0;
  let tokens = 0;
  for (const { dataset, state, rows, promptTokens, options } of datasets) {
    if (!plan.needs(dataset, model.id) || state === 'imported') continue;
    if (rows === null || promptTokens === null) return null;
    const isTarget = plan.targetsOf(dataset).some(({ target }) => target.id === model.id);
    tokens += rows * promptTokens * (1 + (rotated && isTarget ? (options ?? 4) : 0));
  }
  return tokens;
}
