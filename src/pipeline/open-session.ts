import type { EntryKey } from '../cache/entry-key.js';
import { openEntry } from '../cache/open-entry.js';
import { parseReply } from '../datasets/parse-reply.js';
import type { ExamplePrompt } from '../datasets/prompt.js';
import type { ModelFacts, ModelJob, ScoringJob } from '../scoring/contract.js';
import type { ModelRow } from '../scoring/scored-row.js';
import { sharedBeginning } from '../scoring/shared-beginning.js';
import { askedOf, type Workspace } from './load-workspace.js';
import type { PipelineEvents } from './pipeline-events.js';
import type { KindedEntry, ModelPlan } from './score-plan.js';
import { unchangedFiles } from './unchanged-files.js';

/** One cache entry that is being filled: its lock is held until `close`, which rejects when rows could not be kept. */
export interface OpenSession {
  readonly model: string;
  readonly job: ScoringJob;
  close(): Promise<void>;
}

/** Opens the entry of a model for one data set and kind of prompt; null when another run completed it meanwhile. */
export async function openSession(
  workspace: Workspace,
  plan: ModelPlan,
  { dataset: datasetId, kind }: Pick<KindedEntry, 'dataset' | 'kind'>,
  key: EntryKey,
  events: PipelineEvents,
  signal: AbortSignal,
): Promise<OpenSession | null> {
  const dataset = workspace.datasets.find((each) => each.spec.id === datasetId)!;
  const { prompts } = askedOf(workspace, dataset, plan.model).find((asked) => asked.kind === kind)!;
  const ids = prompts.map((prompt) => prompt.id);
  const opened = await openEntry(workspace.options.cache, key, {
    ids,
    refresh: workspace.options.refresh,
    signal,
    onMessage: (message) => events.onLog?.('warn', message),
  });
  if (opened.kind === 'complete') return null;
  const { writer } = opened;
  const done = new Set(writer.completedIds());
  let facts: ModelFacts | null = null;
  const unchanged = plan.file === null ? async () => undefined : unchangedFiles(plan.file, plan.model);
  // Compacts the entry as soon as every example has a row; until then its rows stay in parts for the next run.
  let completed: Promise<unknown> = Promise.resolve();
  const completeWhenFull = () => {
    if (writer.completedIds().size !== ids.length) return;
    completed = writer.complete(facts ?? writer.facts(), new Date().toISOString());
    // `close` hears of a failure; until then the model goes on with its next data set.
    completed.catch(() => undefined);
  };
  completeWhenFull();
  const readReply = replyReader(prompts);
  const store = async (rows: readonly ModelRow[], modelFacts: ModelFacts) => {
    await unchanged();
    if (facts === null) await writer.keepFacts(modelFacts);
    facts = modelFacts;
    await writer.append(rows);
    completeWhenFull();
  };
  return {
    model: plan.model.id,
    job: {
      dataset: datasetId,
      prompts: prompts.filter((prompt) => !done.has(prompt.id)),
      sharing: sharedBeginning(prompts),
      onRows: store,
      ...(prompts.some(({ mode }) => mode === 'reply') && {
        onReplies: (rows, modelFacts) => store(rows.map(readReply), modelFacts),
      }),
    },
    close: () => completed.then(() => undefined).finally(() => writer.release()),
  };
}

/** Reads every reply by the labels and options of its own example. */
function replyReader(prompts: readonly ExamplePrompt[]): (row: ModelRow) => ModelRow {
  const promptOf = new Map(prompts.map((prompt) => [prompt.id, prompt]));
  return (row) => {
    if (row.status !== 'replied') return row;
    const { continuations: labels, reply } = promptOf.get(row.id)!;
    return { ...row, parsed: parseReply(row.text, { labels, options: reply!.options }, row.ended) };
  };
}

/** All open entries of one model as one job: the model is loaded once for all its data sets. */
export function modelJob(plan: ModelPlan, sessions: readonly OpenSession[]): ModelJob[] {
  const jobs = sessions.filter((session) => session.model === plan.model.id).map((session) => session.job);
  if (plan.file === null || jobs.every((job) => job.prompts.length === 0)) return [];
  const { path: modelPath, bytes: modelBytes } = plan.file;
  const lora = plan.file.lora.map(({ path, scale }) => ({ path, scale }));
  return [{ model: plan.model, modelPath, modelBytes, ...(lora.length > 0 && { lora }), jobs }];
}
