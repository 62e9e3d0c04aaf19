import { redactSecrets } from '../../errors/redact-secrets.js';
import { RESAMPLING_GENERATOR, RESAMPLING_RULE } from '../../inference/nested-bootstrap.js';
import { llamaCppRelease, nodeLlamaCppVersion } from '../../library/native-versions.js';
import { binRule } from '../../metrics/bins/binning.js';
import { INTERVAL_LEVEL } from '../../metrics/bootstrap/bootstrap-interval.js';
import { SHUFFLE_GENERATOR } from '../../numeric/random/shuffle.js';
import type { Protocol } from '../../results/protocol-schema.js';
import { comparePublished } from '../../results/published/compare-published.js';
import type { Results } from '../../results/results-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import { type CellInference, summariseRuns } from '../../results/summarise-runs.js';
import { type ModelPlan, plainEntries } from '../score/score-plan.js';
import { toolVersion } from '../workspace/tool-version.js';
import type { Workspace } from '../workspace/workspace.js';

/** The document of results.json: runs of every data set with their means, the protocol, and what is missing. */
export function buildResults(
  { suite, published, methodFiles, datasets }: Workspace,
  plans: readonly ModelPlan[],
  runs: RunResult[],
  notes: {
    readonly skipped: Results['skipped'];
    readonly warnings: string[];
    readonly health: NonNullable<Results['health']>;
    readonly cells: readonly CellInference[];
    readonly comparisons: Results['comparisons'];
    readonly thresholds: NonNullable<Results['thresholds']>;
    readonly untold: NonNullable<Results['untold']>;
    /** What is compared with printed numbers. */
    readonly diagnostics: Parameters<typeof comparePublished>[2];
    /** Bootstrap resamples per data set. */
    readonly resamples: Record<string, number>;
  },
): Results {
  const means = summariseRuns(runs, notes.cells);
  const selection = datasets.flatMap(({ spec, content }) =>
    (content?.dataset.selection ?? []).map((step) => ({ dataset: spec.id, ...step })),
  );
  return {
    schemaVersion: 1,
    suite: suite.name,
    title: suite.title,
    createdAt: new Date().toISOString(),
    status: notes.skipped.length > 0 ? 'partial' : 'complete',
    tool: {
      version: toolVersion(),
      nodeLlamaCpp: nodeLlamaCppVersion(),
      llamaCppRelease: llamaCppRelease(),
      gpu: backendsUsed(plans),
    },
    protocol: {
      seeds: [...suite.seeds],
      calibrationFraction: suite.calibrationFraction,
      splitGenerator: SHUFFLE_GENERATOR,
      ...suite.binning,
      eceRule: binRule(suite.binning),
      examples: suite.examples,
      methods: [...suite.methods],
      methodsByDataset: methodsByDataset(suite),
      methodFiles: methodFilesOf({ methodFiles }),
      bootstrap: {
        resamples: notes.resamples,
        level: INTERVAL_LEVEL,
        rule: RESAMPLING_RULE,
        generator: RESAMPLING_GENERATOR,
      },
    },
    runs,
    ...means,
    comparisons: notes.comparisons,
    ...(notes.thresholds.length > 0 && { thresholds: notes.thresholds }),
    ...(notes.untold.length > 0 && { untold: notes.untold }),
    published: published === null ? null : comparePublished(published, means, notes.diagnostics),
    ...labelsOf(suite),
    skipped: notes.skipped.map((each) => ({ ...each, reason: redactSecrets(each.reason) })),
    warnings: notes.warnings.map((warning) => redactSecrets(warning)),
    ...(notes.health.length > 0 && { health: [...notes.health] }),
    ...(selection.length > 0 && { selection }),
  };
}

function methodsByDataset({ datasets, methods, methodsOf }: Workspace['suite']): Record<string, string[]> {
  const lists = datasets.map((dataset): [string, string[]] => [dataset, [...methodsOf(dataset)]]);
  return lists.every(([, list]) => list.length === methods.length) ? {} : Object.fromEntries(lists);
}

/** `cpu`, `cuda`, ..., several joined by a comma, or `none` when every score was imported. */
function backendsUsed(plans: readonly ModelPlan[]): string {
  const backends = plans.flatMap((plan) =>
    [...plainEntries(plan).values()].flatMap((entry) =>
      entry.kind === 'ready' && entry.manifest.key.kind === 'scored' ? [entry.manifest.key.backend] : [],
    ),
  );
  return [...new Set<string>(backends)].sort().join(', ') || 'none';
}

/** Where the methods of one's own came from, for results.json and manifest.json. */
export function methodFilesOf({ methodFiles }: Pick<Workspace, 'methodFiles'>): Protocol['methodFiles'] {
  return methodFiles.map(({ file, sha256, methods }) => ({
    file: redactSecrets(file),
    sha256,
    methods: methods.map(({ name }) => name),
  }));
}

function labelsOf({ models }: Workspace['suite']): Pick<Results, 'labels'> {
  const labels = models.flatMap(({ id, label }) => (label === undefined || label === id ? [] : [[id, label] as const]));
  return labels.length === 0 ? {} : { labels: Object.fromEntries(labels) };
}
