import { importedDatasetHash, readImportedEntry } from '../../cache/imported-entry.js';
import { entryKey } from '../../cache/key/entry-key.js';
import { readEntry } from '../../cache/read-entry.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { ModelFacts } from '../../contract/scorer.js';
import { FileReader } from '../../files/file-reader.js';
import { type HashedModel, hashModelFiles } from '../../models/hash-model-files.js';
import { ELICITATION_KINDS, type ElicitationKind } from '../asking/elicitation-forms.js';
import type { PlannedEntry } from '../join/planned-entry.js';
import { type Asked, askedOf } from '../workspace/load-workspace.js';
import type { PromptKind, Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import { type PromptHasher, promptHasher, scoredIngredients } from './scored-ingredients.js';

export interface ModelPlan {
  readonly model: ModelSpec;
  /** null when every score is imported. */
  readonly file: HashedModel | null;
  /** By data-set id; of the data sets that need the model. */
  readonly entries: ReadonlyMap<string, PlannedEntry>;
  /** The same for the rotated options, of targets that some method needs them of. */
  readonly rotations: ReadonlyMap<string, PlannedEntry>;
  /** The same for what targets are asked to reply. */
  readonly elicited: Readonly<Record<ElicitationKind, ReadonlyMap<string, PlannedEntry>>>;
}

/** One entry of a model with where it belongs. */
export interface KindedEntry {
  readonly dataset: string;
  readonly kind: PromptKind;
  readonly entry: PlannedEntry;
}

/** All entries of a model, plain ones first. */
export function allEntries({ entries, rotations, elicited }: ModelPlan): KindedEntry[] {
  const of = (kind: PromptKind, each: ReadonlyMap<string, PlannedEntry>) =>
    [...each].map(([dataset, entry]) => ({ dataset, kind, entry }));
  return [
    ...of('plain', entries),
    ...of('rotations', rotations),
    ...ELICITATION_KINDS.flatMap((kind) => of(kind, elicited[kind])),
  ];
}

/**
 * Finds out, without touching a model, which scores the cache already has. An import wins over a file. A model file
 * that is missing, cut or not the promised one makes that model's entries unavailable, with the reason.
 */
export async function planScores(workspace: Workspace, backend: ModelFacts['backend']): Promise<ModelPlan[]> {
  const promptHash = promptHasher();
  const reader = new FileReader();
  const plans: ModelPlan[] = [];
  for (const model of workspace.plan.models) {
    const file = await hashModelFiles(workspace, model);
    const planned: Record<PromptKind, Map<string, PlannedEntry>> = {
      ...{ plain: new Map(), rotations: new Map(), elicitation: new Map() },
      ...{ 'elicitation-ensemble': new Map(), 'p-true': new Map() },
    };
    for (const dataset of workspace.datasets) {
      for (const asked of askedOf(workspace, dataset, model)) {
        const entry = await planEntry(workspace, model, dataset, asked, file, promptHash, backend, reader);
        planned[asked.kind].set(dataset.spec.id, entry);
      }
    }
    const { plain: entries, rotations, ...elicited } = planned;
    plans.push({ model, file: 'reason' in file ? null : file, entries, rotations, elicited });
  }
  return plans;
}

const NO_REPLIES = 'its scores were imported, so it cannot be asked for replies';
const WITHOUT_FILE: Readonly<Record<Exclude<PromptKind, 'plain'>, string>> = {
  rotations:
    'its scores were imported, those under every order of the options were not (supportcal import --rotations)',
  elicitation: NO_REPLIES,
  'elicitation-ensemble': NO_REPLIES,
  'p-true': NO_REPLIES,
};

async function planEntry(
  workspace: Workspace,
  model: ModelSpec,
  { spec, content }: WorkspaceDataset,
  asked: Asked,
  file: Awaited<ReturnType<typeof hashModelFiles>>,
  promptHash: PromptHasher,
  backend: ModelFacts['backend'],
  reader: FileReader,
): Promise<PlannedEntry> {
  const { cache } = workspace.options;
  const plain = await readImportedEntry(cache, { model: model.id, dataset: spec.id }, reader);
  const rotated =
    asked.kind === 'rotations'
      ? await readImportedEntry(cache, { model: model.id, dataset: spec.id, asked: 'rotations' }, reader)
      : undefined;
  const imported = rotated === undefined || rotated.kind === 'missing' ? plain : rotated;
  if (imported.kind === 'complete') {
    if (content !== null && importedDatasetHash(imported.manifest) !== content.wholeHash) {
      const reason = `the imported scores were made for other rows than data set "${spec.id}" has now; import them again`;
      return { kind: 'unavailable', reason };
    }
    return asked.kind === 'plain' || imported === rotated
      ? { kind: 'ready', table: imported.table, manifest: imported.manifest, imported: true }
      : { kind: 'unavailable', reason: WITHOUT_FILE[asked.kind] };
  }
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
  const key = entryKey(scoredIngredients(model, { spec, content }, asked, file, backend, promptHash));
  const total = asked.prompts.length;
  if (workspace.options.refresh) return { kind: 'open', key, rowsLeft: total, rowsDone: 0, damage: null };
  const state = await readEntry(workspace.options.cache, key, reader);
  if (state.kind === 'complete')
    return { kind: 'ready', table: state.table, manifest: state.manifest, imported: false };
  const damage = state.kind === 'damaged' ? `${state.file}: ${state.reason}` : null;
  const rowsDone = state.kind === 'partial' ? Math.min(total, state.ids.length) : 0;
  return { kind: 'open', key, rowsLeft: total - rowsDone, rowsDone, damage };
}
