import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { refuseLinks } from '../../files/refuse-links.js';
import { writeFileAtomic } from '../../files/write-file-atomic.js';
import type { PipelineEvents } from '../workspace/pipeline-events.js';

type Stage = Parameters<NonNullable<PipelineEvents['onStage']>>[0];

/** What a run took, for the manifest. */
export interface RunRecord {
  /** The stages in their order, each until the next began; the last one until now. */
  readonly stages: ReadonlyArray<{ readonly stage: Stage; readonly seconds: number }>;
  /**
   * Rows that had to be scored and rows that the cache had; null when nothing was asked of a model (calibrate alone).
   */
  readonly rows: { readonly toScore: number; readonly cached: number } | null;
  /** Models that were loaded. Tokens are those evaluated, in wall seconds from load to end. */
  readonly models: ReadonlyArray<{
    readonly model: string;
    readonly rows: number;
    readonly tokens: number;
    readonly seconds: number;
  }>;
}

export interface RecordedEvents {
  readonly events: PipelineEvents;
  record(): RunRecord;
}

/** Notes times and counts from the events of a run while handing them on. */
export function recordRun(given: PipelineEvents, now: () => number = () => performance.now()): RecordedEvents {
  const starts: { stage: Stage; at: number }[] = [];
  const scoredRows = new Map<string, number>();
  const models: { model: string; rows: number; tokens: number; seconds: number }[] = [];
  let rows: RunRecord['rows'] = null;
  const events: PipelineEvents = {
    ...given,
    onStage(stage) {
      starts.push({ stage, at: now() });
      given.onStage?.(stage);
    },
    onScoringPlan(plan) {
      rows = { toScore: plan.toScore, cached: plan.cached };
      given.onScoringPlan?.(plan);
    },
    onRows(model, dataset, count, tokens) {
      scoredRows.set(model, (scoredRows.get(model) ?? 0) + count);
      given.onRows?.(model, dataset, count, tokens);
    },
    onModelEnd(outcome) {
      if (outcome.kind === 'done') {
        const { model, tokens, seconds } = outcome;
        models.push({ model, rows: scoredRows.get(model) ?? 0, tokens, seconds });
      }
      given.onModelEnd?.(outcome);
    },
  };
  return {
    events,
    record: () => ({
      stages: starts.map(({ stage, at }, n) => ({ stage, seconds: ((starts[n + 1]?.at ?? now()) - at) / 1000 })),
      rows,
      models: [...models],
    }),
  };
}

interface Stages {
  run?: { stages?: { stage: string; seconds: number }[] };
}

/**
 * Adds the seconds of a stage to manifest.json of a run, in place of those of an earlier pass of the same stage: the
 * report ends after the manifest was written. A run without a manifest of this version stays as it is.
 */
export async function noteStage(folder: string, stage: string, seconds: number): Promise<void> {
  const file = path.join(folder, 'manifest.json');
  const text = await readFile(file, 'utf8').catch(() => null);
  const manifest = text === null ? null : (JSON.parse(text) as Stages | null);
  const run = manifest?.run;
  const stages = run?.stages;
  if (run === undefined || !Array.isArray(stages)) return;
  run.stages = [...stages.filter((each) => each.stage !== stage), { stage, seconds }];
  await refuseLinks(folder, ['manifest.json']);
  await writeFileAtomic(file, `${JSON.stringify(manifest, null, 2)}\n`);
}
