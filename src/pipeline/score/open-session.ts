import type { EntryKey } from '../../cache/key/entry-key.js';
import { openEntry } from '../../cache/open-entry.js';
import type { ScoreTable } from '../../cache/table/score-table.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelRow } from '../../contract/scored-row.js';
import type { ModelFacts, ModelJob, ScoringJob } from '../../contract/scorer.js';
import { sharedBeginning } from '../../contract/shared-beginning.js';
import { parseReply } from '../../datasets/replies/parse-reply.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { unchangedFiles } from '../../models/unchanged-files.js';
import { askedOf } from '../workspace/load-workspace.js';
import type { PipelineEvents } from '../workspace/pipeline-events.js';
import type { Workspace } from '../workspace/workspace.js';
import { firstOrderFrom } from './first-order.js';
import type { KindedEntry, ModelPlan } from './score-plan.js';

/** One cache entry that is being filled: its lock is held until `close`, which rejects when rows could not be kept. */
export interface OpenSession extends Pick<KindedEntry, 'kind'> {
  readonly model: string;
  readonly job: ScoringJob;
  /** All rows, once every example has one. */
  table(): Promise<ScoreTable>;
  close(): Promise<void>;
}

/**
 * Opens the entry of a model for one data set and kind of prompt; nothing is left to do when another run completed it
 * meanwhile.
 *
 * @param plainScores of the same model on the same data set: the first order of rotated options. Asked for when rows come
 */
export async function openSession(
  workspace: Workspace,
  plan: ModelPlan,
  { dataset: datasetId, kind }: Pick<KindedEntry, 'dataset' | 'kind'>,
  key: EntryKey,
  events: PipelineEvents,
  signal: AbortSignal,
  plainScores: () => Promise<ScoreTable>,
): Promise<OpenSession> {
  const dataset = workspace.datasets.find((each) => each.spec.id === datasetId)!;
  const { prompts, evaluated } = askedOf(workspace, dataset, plan.model).find((asked) => asked.kind === kind)!;
  const ids = prompts.map((prompt) => prompt.id);
  const opened = await openEntry(workspace.options.cache, key, {
    ids,
    refresh: workspace.options.refresh,
    signal,
    onMessage: (message) => events.onLog?.('warn', message),
  });
  const base = { model: plan.model.id, kind };
  if (opened.kind === 'complete') {
    const job = { dataset: datasetId, prompts: [], onRows: async () => {} };
    return { ...base, job, table: async () => opened.table, close: async () => {} };
  }
  const { writer } = opened;
  const done = new Set(writer.completedIds());
  let facts: ModelFacts | null = null;
  const unchanged = plan.file === null ? async () => undefined : unchangedFiles(plan.file, plan.model);
  // Compacts the entry as soon as every example has a row; until then its rows stay in parts for the next run.
  let completed: Promise<{ readonly table: ScoreTable }> | null = null;
  const completeWhenFull = () => {
    if (writer.completedIds().size !== ids.length) return;
    completed = writer.complete(facts ?? writer.facts(), new Date().toISOString());
    // `close` hears of a failure; until then the model goes on with its next data set.
    completed.catch(() => undefined);
  };
  completeWhenFull();
  const finish = kind === 'rotations' ? firstOrderAdder(plainScores) : replyReader(prompts);
  const store = async (rows: readonly ModelRow[], modelFacts: ModelFacts) => {
    await unchanged();
    const known: ModelFacts = kind === 'rotations' ? { ...modelFacts, firstOrder: 'plain' } : modelFacts;
    if (facts === null) await writer.keepFacts(known);
    facts = known;
    await writer.append(await finish(rows));
    completeWhenFull();
  };
  return {
    ...base,
    job: {
      dataset: datasetId,
      prompts: evaluated.filter((prompt) => !done.has(prompt.id)),
      sharing: sharedBeginning(evaluated),
      onRows: store,
      ...(prompts.some(({ mode }) => mode === 'reply') && { onReplies: store }),
    },
    table: async () => {
      if (completed === null) throw new SupportCalError('internal', `some rows of entry ${key.name} have not come`);
      return (await completed).table;
    },
    close: () =>
      Promise.resolve(completed)
        .then(() => undefined)
        .finally(() => writer.release()),
  };
}

/** What rows need before they are kept. */
type FinishRows = (rows: readonly ModelRow[]) => Promise<readonly ModelRow[]>;

/** Reads every reply by the labels and options of its own example. */
function replyReader(prompts: readonly ExamplePrompt[]): FinishRows {
  const promptOf = new Map(prompts.map((prompt) => [prompt.id, prompt]));
  const read = (row: ModelRow): ModelRow => {
    if (row.status !== 'replied') return row;
    const { continuations: labels, reply } = promptOf.get(row.id)!;
    return { ...row, parsed: parseReply(row.text, { labels, options: reply!.options }, row.ended) };
  };
  return async (rows) => rows.map(read);
}

/** Rows that failed may come before the plain scores; they need none. */
function firstOrderAdder(plainScores: () => Promise<ScoreTable>): FinishRows {
  let add: ((rows: readonly ModelRow[]) => ModelRow[]) | undefined;
  return async (rows) => {
    if (rows.every(({ status }) => status === 'failed')) return rows;
    add ??= firstOrderFrom(await plainScores());
    return add(rows);
  };
}

/** All open entries of one model as one job: the model is loaded once for all its data sets; plain prompts come first. */
export function modelJob(plan: ModelPlan, sessions: readonly OpenSession[]): ModelJob[] {
  const own = sessions.filter((session) => session.model === plan.model.id);
  const jobs = own.toSorted((a, b) => Number(b.kind === 'plain') - Number(a.kind === 'plain')).map(({ job }) => job);
  if (plan.file === null || jobs.every((job) => job.prompts.length === 0)) return [];
  const { path: modelPath, bytes: modelBytes } = plan.file;
  const lora = plan.file.lora.map(({ path, scale }) => ({ path, scale }));
  return [{ model: plan.model, modelPath, modelBytes, ...(lora.length > 0 && { lora }), jobs }];
}
