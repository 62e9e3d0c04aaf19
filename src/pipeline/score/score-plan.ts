import { findEarlierRows } from '../../cache/content-rows.js';
import { importedDatasetHash, readImportedEntry } from '../../cache/imported-entry.js';
import { entryKey } from '../../cache/key/entry-key.js';
import { type EntryState, readEntry } from '../../cache/read-entry.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { FoundModel, ModelSource, Unavailable } from '../../contract/source.js';
import { FileReader } from '../../files/file-reader.js';
import { deviceMemory, rememberedCard } from '../../scoring/device/remembered-device.js';
import { loweredModels } from '../../scoring/source/lowered-models.js';
import { sourceOf } from '../../scoring/source/source-of.js';
import { tunedModels } from '../../scoring/source/tuned-shapes.js';
import { plain } from '../asking/plain.js';
import type { PlannedEntry } from '../join/planned-entry.js';
import { type Asked, askedOf } from '../workspace/load-workspace.js';
import type { Workspace, WorkspaceDataset } from '../workspace/workspace.js';
import { rowContents } from './row-contents.js';
import { type PromptHasher, promptHasher, scoredIngredients } from './scored-ingredients.js';

export interface ModelPlan {
  readonly model: ModelSpec;
  readonly source: ModelSource;
  /** The model as its source has it; null: it cannot be had, so that only what was imported is there. */
  readonly found: FoundModel | null;
  /** By the name of the way of asking, plain prompts first, then by the id of a data set that needs the model. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, PlannedEntry>>;
}

/** One entry of a model with where it belongs. */
export interface AskedEntry {
  readonly dataset: string;
  /** Name of the way of asking. */
  readonly way: string;
  readonly entry: PlannedEntry;
}

/** All entries of a model, way by way. */
export function allEntries({ entries }: ModelPlan): AskedEntry[] {
  return [...entries].flatMap(([way, ofWay]) => [...ofWay].map(([dataset, entry]) => ({ dataset, way, entry })));
}

/** The plain scores of a model by data set. */
export function plainEntries({ entries }: Pick<ModelPlan, 'entries'>): ReadonlyMap<string, PlannedEntry> {
  return entries.get(plain.name) ?? new Map();
}

/** What looks for entries has in common for all models and data sets of a run. */
interface EntryLookup {
  readonly workspace: Workspace;
  readonly device: Device;
  readonly promptHash: PromptHasher;
  readonly reader: FileReader;
}

/** A model with the settings under which it is looked for, and as its source has it. */
interface SoughtModel {
  readonly model: ModelSpec;
  readonly source: ModelSource;
  readonly found: FoundModel | Unavailable;
}

/** One model on one data set, asked in one way. */
interface LookedUp extends SoughtModel {
  readonly dataset: WorkspaceDataset;
  readonly asked: Asked;
}

/**
 * Finds out, without touching a model, which scores the cache already has. An import wins over every source. A model
 * that its source cannot find (a file that is missing, cut or not the promised one) makes its entries unavailable, with
 * the reason. One that was scored with fewer sequences since no more fitted into memory, or for whose shape
 * `doctor --tune` found a faster evaluation on this card, is planned as if models.yaml said so, but for the data sets
 * that have all its scores as it is declared.
 */
export async function planScores(workspace: Workspace, device: Device): Promise<ModelPlan[]> {
  const readers = [new FileReader(), new FileReader()];
  const promptHash = promptHasher();
  const others = await otherSettings(workspace, device);
  const planned: Promise<ModelPlan>[] = [];
  // While the file of one model is verified and decoded, that of the next is read, with the reader of the one before.
  for (const [m, model] of workspace.suite.models.entries()) {
    await planned[m - readers.length];
    const reader = readers[m % readers.length] ?? new FileReader();
    const lookup = { workspace, device, promptHash, reader };
    const plan = planModel(lookup, await soughtModels(lookup, model, others));
    // A fault is raised where its turn comes; Node must not take it for one that nobody looks at.
    plan.catch(() => undefined);
    planned.push(plan);
  }
  const plans = await Promise.all(planned);
  return plans.map((plan) => withoutNeedless(workspace, plans, plan));
}

async function planModel(lookup: EntryLookup, sought: [SoughtModel, ...SoughtModel[]]): Promise<ModelPlan> {
  const { datasets, ways } = lookup.workspace;
  const entries = new Map(ways.map(({ name }) => [name, new Map<string, PlannedEntry>()]));
  for (const dataset of datasets) {
    for (const [way, entry] of await planDataset(lookup, sought, dataset))
      entries.get(way)?.set(dataset.spec.id, entry);
  }
  const { source, found, ...last } = sought.at(-1) ?? sought[0];
  return { ...last, source, found: 'reason' in found ? null : found, entries };
}

/** Settings beside the declared ones that the rows of a model may have, those of the next rows last. */
type OtherSettings = (model: ModelSpec, found: FoundModel) => readonly ModelSpec[];

async function otherSettings({ options }: Workspace, device: Device): Promise<OtherSettings> {
  const lowered = await loweredModels(options.cache);
  const tuned = await tunedModels(options.cache);
  // Other machines may have other cards.
  const card = options.elsewhere === undefined ? rememberedCard(deviceMemory(options.cache), options.gpu) : null;
  return (model, { sha256, place }) => [
    ...(card === null || place.kind !== 'gguf' ? [] : tuned({ model, bytes: place.bytes, device, card })),
    ...lowered({ model, sha256, device }),
  ];
}

/** The model as it is declared, then with the other settings. */
async function soughtModels(
  { workspace }: EntryLookup,
  declared: ModelSpec,
  others: OtherSettings,
): Promise<[SoughtModel, ...SoughtModel[]]> {
  const seek = async (model: ModelSpec): Promise<SoughtModel> => {
    const source = sourceOf(workspace, model);
    return { model, source, found: await source.find() };
  };
  const first = await seek(declared);
  if ('reason' in first.found) return [first];
  return [first, ...(await Promise.all(others(declared, first.found).map(seek)))];
}

/**
 * By way of asking the entries of a data set, all of one shape: the latest one that lacks nothing (after `--refresh`
 * that of an earlier shape is older), else that of the next rows.
 */
async function planDataset(
  lookup: EntryLookup,
  sought: readonly SoughtModel[],
  dataset: WorkspaceDataset,
): Promise<ReadonlyMap<string, PlannedEntry>> {
  let latest: ReadonlyMap<string, PlannedEntry> | undefined;
  for (const each of sought.toReversed()) {
    const entries = new Map<string, PlannedEntry>();
    for (const asked of askedOf(lookup.workspace, dataset, each.model))
      entries.set(asked.way.name, await planEntry(lookup, { ...each, dataset, asked }));
    if ([...entries.values()].every(({ kind }) => kind !== 'open')) return entries;
    latest ??= entries;
  }
  return latest ?? new Map();
}

/**
 * A base is not scored on a data set where none of the targets that need it can be had: hours would go by before the
 * run says that there is nothing to calibrate. What the cache has of it stays.
 */
function withoutNeedless(workspace: Workspace, plans: readonly ModelPlan[], plan: ModelPlan): ModelPlan {
  if (plan.model.role !== 'base') return plan;
  const byId = new Map(plans.map((each) => [each.model.id, each]));
  const isOut = (dataset: string, target: string) =>
    plainEntries(byId.get(target) ?? { entries: new Map() }).get(dataset)?.kind === 'unavailable';
  const checked = (dataset: string, entry: PlannedEntry): PlannedEntry => {
    const targets = workspace.suite
      .targetsOf(dataset)
      .filter(({ ownBase, referencePool }) => [ownBase, ...referencePool].some(({ id }) => id === plan.model.id))
      .map(({ target }) => target.id);
    if (entry.kind !== 'open' || targets.length === 0 || !targets.every((id) => isOut(dataset, id))) return entry;
    return { kind: 'unavailable', reason: `not asked: no target that needs it can be had (${targets.join(', ')})` };
  };
  const entries = [...plan.entries].map(
    ([way, ofWay]) => [way, new Map([...ofWay].map(([dataset, entry]) => [dataset, checked(dataset, entry)]))] as const,
  );
  return { ...plan, entries: new Map(entries) };
}

async function planEntry(lookup: EntryLookup, wanted: LookedUp): Promise<PlannedEntry> {
  return (await importedEntry(lookup, wanted)) ?? scoredEntry(lookup, wanted);
}

/** What imports make of an entry; null: nothing was imported, so it can be scored. */
async function importedEntry({ workspace, reader }: EntryLookup, wanted: LookedUp): Promise<PlannedEntry | null> {
  const { model, dataset, asked } = wanted;
  const { spec, content } = dataset;
  const read = (way?: string) =>
    readImportedEntry(workspace.options.cache, { model: model.id, dataset: spec.id, asked: way }, reader);
  const plainImport = await read();
  const ownImport = await (asked.way === plain ? plainImport : asked.way.importable ? read(asked.way.name) : null);
  const imported: EntryState = ownImport === null || ownImport.kind === 'missing' ? plainImport : ownImport;
  if (imported.kind === 'damaged') {
    const where = `${imported.file}: ${imported.reason}`;
    return { kind: 'unavailable', reason: `the imported scores are damaged (${where}); import them again` };
  }
  if (imported.kind !== 'complete') return null;
  const { table, manifest } = imported;
  if (content !== null && importedDatasetHash(manifest) !== content.wholeHash) {
    const reason = `the imported scores were made for other rows than data set "${spec.id}" has now; import them again`;
    return { kind: 'unavailable', reason };
  }
  if (imported !== ownImport) return { kind: 'unavailable', reason: asked.way.missingBesideImport };
  return { kind: 'ready', table, manifest, imported: true };
}

async function scoredEntry(
  { workspace, device, promptHash, reader }: EntryLookup,
  { model, source, found, dataset: { spec, content }, asked }: LookedUp,
): Promise<PlannedEntry> {
  if ('reason' in found) return { kind: 'unavailable', reason: found.reason };
  if (content === null) {
    return { kind: 'unavailable', reason: `data set "${spec.id}" has no source, so scores must be imported` };
  }
  if (asked.prompts.some(({ mode }) => !source.can.has(mode))) {
    return { kind: 'unavailable', reason: `its source (${source.kind}) cannot be asked for this (${asked.way.name})` };
  }
  const identity = found.identity(device);
  const ingredients = scoredIngredients({ model, identity }, { spec, content }, asked, promptHash);
  const key = entryKey(ingredients);
  const total = asked.prompts.length;
  if (workspace.options.refresh) return { kind: 'open', key, rowsLeft: total, rowsDone: 0 };
  const state = await readEntry(workspace.options.cache, key, reader);
  if (state.kind === 'complete')
    return { kind: 'ready', table: state.table, manifest: state.manifest, imported: false };
  const contents = rowContents(ingredients, asked.prompts);
  const earlier = contents === null ? null : await findEarlierRows(workspace.options.cache, key, contents);
  const done = new Set([...(state.kind === 'partial' ? state.ids : []), ...(earlier?.ids ?? [])]);
  const rowsDone = Math.min(total, done.size);
  return { kind: 'open', key, rowsLeft: total - rowsDone, rowsDone };
}
