import { availableParallelism } from 'node:os';
import type { ModelJob, ModelOutcome, ScoringEvents, ScoringJob, ScoringSettings } from '../contract/scorer.js';
import { median } from '../numeric/quantile.js';
import { scoreModels } from '../scoring/score-models.js';
import { plain } from './asking/plain.js';
import { inspectableModels } from './estimate/doctor-files.js';
import { leastOptionMass, lowMassReason } from './score/least-option-mass.js';
import { deviceOf, openForScoring } from './score/open-for-scoring.js';
import { PROBED_ROWS } from './score/stop-at-low-mass.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';
import type { Workspace } from './workspace/workspace.js';

export interface ProbedMass {
  readonly model: string;
  readonly dataset: string;
  /** Rows that were scored, of those that were asked for. */
  readonly rows: number;
  readonly asked: number;
  /** In [0, 1]; null: no row could be scored. */
  readonly medianOptionMass: number | null;
  /** Why the model should not be scored on this data set; null: nothing speaks against it. */
  readonly problem: string | null;
}

/** Every `Scorer` is one: the models that are probed are in files. */
type FileScorer = (jobs: readonly ModelJob[], ...rest: [ScoringSettings, ScoringEvents]) => Promise<ModelOutcome[]>;

/**
 * `validate --probe`: loads every model whose file is here and scores five rows of each data set. Nothing is kept; it
 * shows before hours are spent whether a model answers with one of the options.
 *
 * @param scorer takes the place of llama.cpp in child processes
 */
export async function probeOptionMass(
  options: RunOptions,
  events: PipelineEvents,
  signal: AbortSignal,
  scorer: FileScorer = scoreModels,
): Promise<ProbedMass[]> {
  const workspace = await openForScoring(options, events, signal);
  const device = await deviceOf(workspace);
  const probes = await probesOf(workspace);
  const jobs = probes.map(({ job }) => job);
  const outcomes = await scorer(jobs, { device, cores: availableParallelism(), signal }, events);
  return probes.flatMap(({ job, masses, failures }) => {
    const outcome = outcomes.find(({ model }) => model === job.model.id);
    const failed = outcome?.kind === 'failed' ? outcome.reason : null;
    return job.jobs.map(({ dataset, prompts }): ProbedMass => {
      const found = masses.get(dataset) ?? [];
      const mass = median(found);
      const limit = leastOptionMass(workspace.datasets.find(({ spec }) => spec.id === dataset)?.spec.yaml.scoring);
      const nothing = failed ?? failures.get(dataset) ?? 'no row was scored';
      const problem = mass === null ? nothing : mass < limit ? lowMassReason(mass, limit) : null;
      const base = { model: job.model.id, dataset, rows: found.length, asked: prompts.length };
      return { ...base, medianOptionMass: mass, problem };
    });
  });
}

interface Probe {
  readonly job: ModelJob;
  /** Option masses by data set. */
  readonly masses: Map<string, number[]>;
  /** The last reason why a row failed, by data set. */
  readonly failures: Map<string, string>;
}

async function probesOf(workspace: Workspace): Promise<Probe[]> {
  return (await inspectableModels(workspace)).flatMap((file) => {
    if (!('job' in file)) return [];
    const { model, place, jobs } = file.job;
    const masses = new Map<string, number[]>();
    const failures = new Map<string, string>();
    const probed = jobs.flatMap(({ dataset, prompts }, n): ScoringJob[] => {
      if (file.asked[n]?.kind !== plain.name) return [];
      const found: number[] = [];
      masses.set(dataset, found);
      const onRows: ScoringJob['onRows'] = async (rows) => {
        for (const row of rows) {
          if (row.status === 'ok') found.push(row.optionMass);
          else failures.set(dataset, row.reason);
        }
      };
      return [{ dataset, prompts: prompts.slice(0, PROBED_ROWS), onRows }];
    });
    return probed.length === 0 ? [] : [{ job: { model, place, jobs: probed }, masses, failures }];
  });
}
