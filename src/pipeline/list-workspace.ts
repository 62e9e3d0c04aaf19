import { type ListedEntry, listEntries } from '../cache/list-entries.js';
import { loadDatasetSpecs } from '../config/load-dataset-specs.js';
import { loadModels } from '../config/load-models.js';
import { shownPlace } from '../config/source-kind.js';
import { namedIn } from '../models/model-references.js';
import type { RunOptions } from './workspace/run-options.js';

export interface WorkspaceListing {
  readonly suites: ReadonlyArray<{
    name: string;
    title: string | null;
    targets: readonly string[] | 'all';
    datasets: readonly string[];
  }>;
  readonly models: ReadonlyArray<{
    id: string;
    role: string;
    base: string | null;
    bucket: string;
    file: string | null;
    /** File and line that name it. */
    namedIn: string | null;
  }>;
  readonly datasets: ReadonlyArray<{ id: string; title: string | null; source: string | null }>;
  readonly cache: readonly ListedEntry[];
}

/** What models.yaml, the data-set folder and the cache hold; reads no rows and no model. */
export async function listWorkspace(options: RunOptions): Promise<WorkspaceListing> {
  const models = await loadModels(options.models, { quant: options.quant });
  const specs = await loadDatasetSpecs(options.datasets, null);
  return {
    suites: Object.entries(models.suites).map(([name, suite]) => ({
      name,
      title: suite.title ?? null,
      targets: Array.isArray(suite.targets) || suite.targets === 'all' ? suite.targets : union(suite.targets),
      datasets: suite.datasets,
    })),
    models: models.models.map((model) => ({
      id: model.id,
      role: model.role,
      base: model.base ?? null,
      bucket: model.bucket,
      file: shownPlace(model),
      namedIn: namedIn(models, model),
    })),
    datasets: specs.map(({ id, yaml }) => ({ id, title: yaml.title ?? null, source: sourceOf(yaml.source) })),
    cache: await listEntries(options.cache),
  };
}

function sourceOf(source: Awaited<ReturnType<typeof loadDatasetSpecs>>[number]['yaml']['source']): string | null {
  if (source === undefined || typeof source === 'string') return source ?? null;
  if (source.hub !== undefined) return ['hub', source.hub, source.config ?? [], source.split ?? []].flat().join(' ');
  return [source.path ?? Object.values(source.files ?? {})].flat().join(', ');
}

function union(lists: Readonly<Record<string, readonly string[]>>): string[] {
  return [...new Set(Object.values(lists).flat())];
}
