import path from 'node:path';
import { type EntryKey, entryKey } from '../cache/entry-key.js';
import { readImportedEntry } from '../cache/imported-entry.js';
import type { Manifest } from '../cache/manifest.js';
import { readEntry } from '../cache/read-entry.js';
import type { ScoreTable } from '../cache/score-table.js';
import type { ModelSpec } from '../config/models-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { contentHash } from '../files/content-hash.js';
import { fileHashCached } from '../files/file-hash-cached.js';
import { checkModelFile } from '../scoring/check-model-file.js';
import type { ModelFacts } from '../scoring/contract.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../scoring/native-versions.js';
import { modelPath, type Workspace, type WorkspaceDataset } from './load-workspace.js';

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

export interface ModelPlan {
  readonly model: ModelSpec;
  /** null when every score is imported. */
  readonly file: { readonly path: string; readonly bytes: number; readonly sha256: string } | null;
  /** By data-set id. */
  readonly entries: ReadonlyMap<string, PlannedEntry>;
}

/**
 * Finds out, without touching a model, which scores the cache already has. An import wins over a file. A model file
 * that is missing, cut or not the promised one makes that model's entries unavailable, with the reason.
 */
export async function planScores(workspace: Workspace, backend: ModelFacts['backend']): Promise<ModelPlan[]> {
  const promptHashes = new Map(
    workspace.datasets.map((each) => [each.spec.id, each.content && contentHash(each.content.prompts)]),
  );
  const plans: ModelPlan[] = [];
  for (const model of workspace.plan.models) {
    const file = await inspectFile(workspace, model);
    const entries = new Map<string, PlannedEntry>();
    for (const dataset of workspace.datasets) {
      entries.set(
        dataset.spec.id,
        await planEntry(workspace, model, dataset, file, promptHashes.get(dataset.spec.id) ?? null, backend),
      );
    }
    plans.push({ model, file: 'reason' in file ? null : file, entries });
  }
  return plans;
}

type InspectedFile = NonNullable<ModelPlan['file']> | { readonly reason: string };

async function inspectFile(workspace: Workspace, model: ModelSpec): Promise<InspectedFile> {
  if (model.file === undefined)
    return {
      reason: `"${model.id}" has no file in ${workspace.models.file} and no imported scores (supportcal import FILE --model ${model.id} ...)`,
    };
  const absolute = modelPath(workspace.models, model);
  try {
    const { bytes } = await checkModelFile(absolute, model.file);
    const sha256 = await fileHashCached(absolute, path.join(workspace.options.cache, 'model-files.json'));
    if (model.sha256 && model.sha256.toLowerCase() !== sha256) {
      return {
        reason: `${model.file}: its sha256 is ${sha256}, ${workspace.models.file} says ${model.sha256}; fetch the file again`,
      };
    }
    return { path: absolute, bytes, sha256 };
  } catch (error) {
    if (error instanceof SupportCalError) return { reason: error.message };
    throw error;
  }
}

async function planEntry(
  workspace: Workspace,
  model: ModelSpec,
  { spec, content }: WorkspaceDataset,
  file: InspectedFile,
  promptHash: string | null,
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
  if (content === null || promptHash === null) {
    return { kind: 'unavailable', reason: `data set "${spec.id}" has no source, so scores must be imported` };
  }
  const key = entryKey({
    kind: 'scored',
    model: model.id,
    dataset: spec.id,
    variant: spec.yaml.variant ?? null,
    modelHash: file.sha256,
    datasetHash: content.dataset.hash,
    promptHash,
    promptMode: model.prompt,
    bos: model.scoring?.bos ?? 'auto',
    scoringMode: spec.yaml.scoring?.mode ?? 'letter',
    settings: {
      contextSize: model.scoring?.contextSize ?? null,
      sequences: model.scoring?.sequences ?? null,
      batchSize: model.scoring?.batchSize ?? null,
      threads: model.scoring?.threads ?? null,
      flashAttention: false,
      swaFullCache: false,
      prefixReuse: false,
    },
    backend,
    llamaCppRelease: llamaCppRelease(),
    nodeLlamaCpp: nodeLlamaCppVersion(),
  });
  const total = content.prompts.length;
  if (workspace.options.refresh) return { kind: 'open', key, rowsLeft: total, rowsDone: 0, damage: null };
  const state = await readEntry(workspace.options.cache, key);
  if (state.kind === 'complete')
    return { kind: 'ready', table: state.table, manifest: state.manifest, imported: false };
  const damage = state.kind === 'damaged' ? `${state.file}: ${state.reason}` : null;
  const rowsDone = state.kind === 'partial' ? Math.min(total, state.ids.length) : 0;
  return { kind: 'open', key, rowsLeft: total - rowsDone, rowsDone, damage };
}
