import path from 'node:path';
import { type EntryKey, entryKey } from '../cache/entry-key.js';
import { readImportedEntry } from '../cache/imported-entry.js';
import type { Manifest } from '../cache/manifest.js';
import { readEntry } from '../cache/read-entry.js';
import type { ScoreTable } from '../cache/score-table.js';
import type { ScoringYaml } from '../config/dataset-schema.js';
import type { ModelSpec } from '../config/models-schema.js';
import type { ExamplePrompt } from '../datasets/prompt.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { contentHash } from '../files/content-hash.js';
import { fileHashCached } from '../files/file-hash-cached.js';
import type { Adapter, ModelFacts } from '../scoring/contract.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../scoring/native-versions.js';
import { promptsFor, type Workspace, type WorkspaceDataset } from './load-workspace.js';
import { type ModelFiles, modelFiles } from './model-files.js';
import { idSharer } from './share-ids.js';

/** What the cache has for one model on one data set. */
export type PlannedEntry =
  | { readonly kind: 'ready'; readonly table: ScoreTable; readonly manifest: Manifest; readonly imported: boolean }
  /** To be scored; `rowsLeft` are not in the cache yet, `rowsDone` an earlier run left there. */
  | {
      readonly kind: 'open';
      readonly key: EntryKey;
      readonly rowsLeft: number;
      readonly rowsDone: number;
      readonly damage: string | null;
    }
  /** Cannot be had: no file and no import. */
  | { readonly kind: 'unavailable'; readonly reason: string };

export interface HashedFiles {
  /** Of a split model the content hash of the list of its parts' sha256. */
  readonly sha256: string;
  readonly lora: ReadonlyArray<Adapter & { readonly sha256: string }>;
}

export interface ModelPlan {
  readonly model: ModelSpec;
  /** null when every score is imported. */
  readonly file: (Pick<ModelFiles, 'path' | 'bytes'> & HashedFiles) | null;
  /** By data-set id. */
  readonly entries: ReadonlyMap<string, PlannedEntry>;
}

/**
 * Finds out, without touching a model, which scores the cache already has. An import wins over a file. A model file
 * that is missing, cut or not the promised one makes that model's entries unavailable, with the reason.
 */
export async function planScores(workspace: Workspace, backend: ModelFacts['backend']): Promise<ModelPlan[]> {
  const promptHash = promptHasher();
  const sharers = new Map(workspace.datasets.map(({ spec }) => [spec.id, idSharer()]));
  const plans: ModelPlan[] = [];
  for (const model of workspace.plan.models) {
    const file = await inspectFile(workspace, model);
    const entries = new Map<string, PlannedEntry>();
    for (const dataset of workspace.datasets) {
      const entry = await planEntry(workspace, model, dataset, file, promptHash, backend);
      const share = sharers.get(dataset.spec.id)!;
      entries.set(dataset.spec.id, entry.kind === 'ready' ? { ...entry, table: share(entry.table) } : entry);
    }
    plans.push({ model, file: 'reason' in file ? null : file, entries });
  }
  return plans;
}

/** Hashes prompts once for all models that are asked the same. */
function promptHasher(): (prompts: readonly ExamplePrompt[]) => string {
  const known = new Map<readonly ExamplePrompt[], string>();
  return (prompts) => {
    const hash = known.get(prompts) ?? contentHash(prompts);
    known.set(prompts, hash);
    return hash;
  };
}

type InspectedFile = NonNullable<ModelPlan['file']> | { readonly reason: string };

async function inspectFile(workspace: Workspace, model: ModelSpec): Promise<InspectedFile> {
  if (model.file === undefined)
    return {
      reason: `"${model.id}" has no file in ${workspace.models.file} and no imported scores (supportcal import FILE --model ${model.id} ...)`,
    };
  try {
    const files = await modelFiles(workspace.models, model);
    const { sha256, lora } = await hashFiles(files, path.join(workspace.options.cache, 'model-files.json'));
    if (model.sha256 && model.sha256.toLowerCase() !== sha256) {
      return {
        reason: `${model.file}: its sha256 is ${sha256}, ${workspace.models.file} says ${model.sha256}; fetch the file again`,
      };
    }
    return { path: files.path, bytes: files.bytes, sha256, lora };
  } catch (error) {
    if (error instanceof SupportCalError) return { reason: error.message };
    throw error;
  }
}

async function hashFiles({ parts, lora }: ModelFiles, index: string): Promise<HashedFiles> {
  const hashes: string[] = [];
  for (const part of parts) hashes.push(await fileHashCached(part, index));
  const adapters: HashedFiles['lora'][number][] = [];
  for (const adapter of lora) adapters.push({ ...adapter, sha256: await fileHashCached(adapter.path, index) });
  return { sha256: hashes.length === 1 ? hashes[0]! : contentHash(hashes), lora: adapters };
}

async function planEntry(
  workspace: Workspace,
  model: ModelSpec,
  { spec, content }: WorkspaceDataset,
  file: InspectedFile,
  promptHash: (prompts: readonly ExamplePrompt[]) => string,
  backend: ModelFacts['backend'],
): Promise<PlannedEntry> {
  const imported = await readImportedEntry(workspace.options.cache, model.id, spec.id);
  if (imported.kind === 'complete')
    return { kind: 'ready', table: imported.table, manifest: imported.manifest, imported: true };
  if (imported.kind === 'damaged') {
    return {
      kind: 'unavailable',
      reason: `the imported scores are damaged (${imported.file}: ${imported.reason}); import them again`,
    };
  }
  if ('reason' in file) return { kind: 'unavailable', reason: file.reason };
  if (content === null) {
    return { kind: 'unavailable', reason: `data set "${spec.id}" has no source, so scores must be imported` };
  }
  const { variant, prompts } = promptsFor(spec, content, model);
  const key = entryKey({
    kind: 'scored',
    model: model.id,
    dataset: spec.id,
    variant,
    modelHash: file.sha256,
    ...(file.lora.length > 0 && { lora: file.lora.map(({ sha256, scale }) => ({ sha256, scale })) }),
    datasetHash: content.dataset.hash,
    promptHash: promptHash(prompts),
    promptMode: model.prompt,
    assistantPrefix: model.assistantPrefix ?? null,
    bos: model.scoring?.bos ?? 'auto',
    scoringMode: scoringMode(spec.yaml.scoring),
    settings: {
      contextSize: model.scoring?.contextSize ?? null,
      sequences: model.scoring?.sequences ?? null,
      batchSize: model.scoring?.batchSize ?? null,
      threads: model.scoring?.threads ?? null,
      ...(model.scoring?.preTokenizer !== undefined && { preTokenizer: model.scoring.preTokenizer }),
      ...(model.scoring?.kvType !== undefined && { kvType: model.scoring.kvType }),
      ...(model.scoring?.gpuLayers !== undefined && { gpuLayers: model.scoring.gpuLayers }),
      flashAttention: false,
      swaFullCache: true,
      prefixReuse: true,
    },
    backend,
    llamaCppRelease: llamaCppRelease(),
    nodeLlamaCpp: nodeLlamaCppVersion(),
  });
  const total = prompts.length;
  if (workspace.options.refresh) return { kind: 'open', key, rowsLeft: total, rowsDone: 0, damage: null };
  const state = await readEntry(workspace.options.cache, key);
  if (state.kind === 'complete')
    return { kind: 'ready', table: state.table, manifest: state.manifest, imported: false };
  const damage = state.kind === 'damaged' ? `${state.file}: ${state.reason}` : null;
  const rowsDone = state.kind === 'partial' ? Math.min(total, state.ids.length) : 0;
  return { kind: 'open', key, rowsLeft: total - rowsDone, rowsDone, damage };
}

/** Mode, normalisation and pmi prompt in one line; the rendered prompts, which are in the key too, follow from them. */
function scoringMode({ mode = 'letter', normalize = 'sum', pmiPrompt }: ScoringYaml = {}): string {
  if (mode === 'letter') return mode;
  return `${mode} ${normalize}${normalize === 'pmi' ? ` ${JSON.stringify(pmiPrompt ?? null)}` : ''}`;
}
