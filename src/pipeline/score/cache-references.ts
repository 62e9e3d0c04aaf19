import { entryKey, type KeyIngredients, type ScoredKeyIngredients } from '../../cache/key/entry-key.js';
import type { ListedEntry } from '../../cache/list-entries.js';
import { loadModels } from '../../config/load-models.js';
import type { SourceIdentity } from '../../contract/source.js';
import { canonicalJson } from '../../files/content-hash.js';
import { loweredModels } from '../../scoring/source/lowered-models.js';
import { sourceOf } from '../../scoring/source/source-of.js';
import { tunedModels } from '../../scoring/source/tuned-shapes.js';
import { importableNames } from '../asking/ways-of-asking.js';
import { askedOf, loadWorkspace } from '../workspace/load-workspace.js';
import type { RunOptions } from '../workspace/run-options.js';
import type { DatasetContent } from '../workspace/workspace.js';
import { promptHasher, scoredIngredients } from './scored-ingredients.js';

export type CacheOptions = Pick<RunOptions, 'models' | 'datasets' | 'cache'>;

/** One model on one data set of some suite, asked in one way. */
interface Reference {
  readonly model: string;
  readonly dataset: string;
  /** What its scores are found by on each device; none: imported only. */
  readonly scored: readonly ScoredKeyIngredients[];
  /** The model cannot be found now (its file is on another disk, say), so nobody knows which entry would be found. */
  readonly unknown: boolean;
}

/**
 * Says of an entry why no suite of models.yaml refers to it, or null when one does: with its whole rows, as the files
 * are now, on any device. What cannot be decided counts as referred to.
 *
 * @throws SupportCalError bad-input, missing-file: a suite that cannot be read refers to nobody knows what
 */
export async function cacheReferences(options: CacheOptions): Promise<(entry: ListedEntry) => string | null> {
  const references: Reference[] = [];
  const { suites } = await loadModels(options.models);
  for (const suite of Object.keys(suites)) references.push(...(await referencesOf(suite, options)));
  return (entry) => whyUnused(entry, references);
}

async function referencesOf(suite: string, options: CacheOptions): Promise<Reference[]> {
  const run = { ...options, suite, out: '', gpu: 'off', refresh: false, offline: true } as const;
  const workspace = await loadWorkspace(run, { missingData: 'leave-empty', unknownMethods: 'leave-out' });
  const promptHash = promptHasher();
  const lowered = await loweredModels(options.cache);
  const tuned = await tunedModels(options.cache);
  const references: Reference[] = [];
  for (const model of workspace.suite.models) {
    const source = sourceOf(workspace, model);
    const found = source.score === null ? null : await source.find();
    const identities = found === null || 'reason' in found ? [] : DEVICES.map((device) => found.identity(device));
    if (found !== null && !('reason' in found))
      for (const device of DEVICES)
        for (const other of [
          ...lowered({ model, sha256: found.sha256, device }),
          ...(found.place.kind === 'gguf' ? tuned({ model, bytes: found.place.bytes, device, card: null }) : []),
        ]) {
          const again = await sourceOf(workspace, other).find();
          if (!('reason' in again)) identities.push(again.identity(device));
        }
    for (const dataset of workspace.datasets) {
      const { spec, content } = dataset;
      for (const asked of askedOf(workspace, dataset, model)) {
        const ingredients = (identity: SourceIdentity, content: DatasetContent) =>
          scoredIngredients({ model, identity }, { spec, content }, asked, promptHash);
        references.push({
          model: model.id,
          dataset: spec.id,
          scored: content === null ? [] : identities.map((identity) => ingredients(identity, content)),
          unknown: content === null ? spec.yaml.source !== undefined : found !== null && 'reason' in found,
        });
      }
    }
  }
  return references;
}

function whyUnused(entry: ListedEntry, references: readonly Reference[]): string | null {
  const { key, name } = entry;
  if (key === null) return whyUnusedByName(name, references);
  const candidates = references.filter(({ model, dataset }) => model === key.model && dataset === key.dataset);
  if (candidates.length === 0) return `no suite uses model "${key.model}" on data set "${key.dataset}"`;
  if (key.kind === 'imported' || candidates.some(({ unknown }) => unknown)) return null;
  if (entryKey(key).name !== name) return 'made by another version of supportcal';
  const differences = candidates.flatMap(({ scored }) => scored.map((each) => differencesOf(key, each)));
  if (differences.length === 0) return `the scores of model "${key.model}" are imported now`;
  const fewest = differences.reduce((a, b) => (b.length < a.length ? b : a));
  return fewest.length === 0 ? null : fewest.map((field) => WORDS[field] ?? `another ${field}`).join(', ');
}

/** For an entry whose own files no longer tell what it is. */
function whyUnusedByName(name: string, references: readonly Reference[]): string | null {
  const names = references.flatMap(({ model, dataset, scored }) => [
    entryKey({ kind: 'imported', model, dataset }).name,
    ...importableNames().map((asked) => entryKey({ kind: 'imported', model, dataset, asked }).name),
    ...scored.map((each) => entryKey(each).name),
  ]);
  if (references.some(({ unknown }) => unknown) || names.includes(name)) return null;
  return 'it cannot be read, and no suite refers to its name';
}

const DEVICES = ['cpu', 'cuda', 'vulkan', 'metal'] as const;

/** The machine's share of a key: the same suite refers to the scores of every machine. */
const ANYWHERE = new Set(['variables', 'kernels']);

const WORDS: Readonly<Record<string, string>> = {
  modelHash: 'the model file has changed',
  lora: 'the adapters have changed',
  datasetHash: 'other rows (the data set has changed, or --limit)',
  promptHash: 'other prompts',
  scoringMode: 'another way of scoring',
  variant: 'another prompt variant',
  settings: 'other settings of `scoring:`',
  llamaCppRelease: 'another llama.cpp release',
  nodeLlamaCpp: 'another version of node-llama-cpp',
};

function differencesOf(a: KeyIngredients, b: KeyIngredients): string[] {
  const [left, right] = [new Map<string, unknown>(Object.entries(a)), new Map<string, unknown>(Object.entries(b))];
  const fields = new Set([...left.keys(), ...right.keys()]);
  return [...fields].filter(
    (field) =>
      !ANYWHERE.has(field) && canonicalJson(left.get(field) ?? null) !== canonicalJson(right.get(field) ?? null),
  );
}
