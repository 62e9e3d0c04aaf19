import { findEarlierRows, type RowContents, writeContentRows } from '../../cache/content-rows.js';
import type { EntryWriter } from '../../cache/entry-writer.js';
import type { Manifest } from '../../cache/key/manifest.js';
import { openEntry } from '../../cache/open-entry.js';
import type { ScoreTable } from '../../cache/table/score-table.js';
import type { Device } from '../../contract/device.js';
import type { ModelRow } from '../../contract/scored-row.js';
import type { AnyModelJob, ModelFacts, ScoringJob } from '../../contract/scorer.js';
import { sharedBeginning } from '../../contract/shared-beginning.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { plain } from '../asking/plain.js';
import type { FinishRows, WayOfAsking } from '../asking/way-of-asking.js';
import type { OpenEntry } from '../join/planned-entry.js';
import { askedOf } from '../workspace/load-workspace.js';
import type { PipelineEvents } from '../workspace/pipeline-events.js';
import type { Workspace } from '../workspace/workspace.js';
import { modelContent } from './model-content.js';
import { rowContents } from './row-contents.js';
import type { ModelPlan } from './score-plan.js';

/** One run of scoring, as the writers of its entries need to know it. */
export interface WritingRun {
  readonly workspace: Workspace;
  readonly events: PipelineEvents;
  readonly signal: AbortSignal;
}

/** An entry that has to be filled. */
export interface EntryToFill {
  readonly plan: ModelPlan;
  readonly dataset: string;
  /** Name of the way of asking. */
  readonly way: string;
  readonly entry: OpenEntry;
}

/** The writer of one cache entry: its lock is held until `close`, which rejects when rows could not be kept. */
export interface OpenEntryWriter {
  readonly model: string;
  readonly way: string;
  /** What is left to score, and where the rows go. */
  readonly job: ScoringJob;
  /** Keeps rows that another entry has, finished as they are there. */
  take(rows: readonly ModelRow[], facts: ModelFacts): Promise<void>;
  /** All rows, once every example has one. */
  table(): Promise<ScoreTable>;
  close(): Promise<void>;
}

/**
 * Opens the writer of one entry; nothing is left to do when another run completed the entry meanwhile.
 *
 * @param plainScores the plain scores of the same model on the same data set; asked for when rows come that need them
 */
export async function openEntryWriter(
  { workspace, events, signal }: WritingRun,
  toFill: EntryToFill,
  plainScores: () => Promise<ScoreTable>,
): Promise<OpenEntryWriter> {
  const { dataset, plan, entry } = toFill;
  const { way, prompts, evaluated } = askedIn(workspace, toFill);
  const ids = prompts.map((prompt) => prompt.id);
  const { cache, refresh } = workspace.options;
  const onMessage = (message: string) => events.onLog?.('warn', message);
  const opened = await openEntry(cache, entry.key, { ids, refresh, signal, onMessage });
  const base = { model: plan.model.id, way: way.name };
  if (opened.kind === 'complete') {
    const job = { dataset, prompts: [], onRows: async () => {} };
    return { ...base, job, take: async () => {}, table: async () => opened.table, close: async () => {} };
  }
  const contents = entry.key.ingredients.kind === 'scored' ? rowContents(entry.key.ingredients, prompts) : null;
  if (!refresh && contents !== null) await takeEarlierRows(cache, { entry, contents }, opened.writer);
  const done = new Set(opened.writer.completedIds());
  const filling = new Filling(opened.writer, ids.length, {
    way,
    note: async ({ manifest, table }) => {
      if (contents === null) return;
      await writeContentRows(cache, manifest, table.ids, contents).catch((error) =>
        onMessage(`rows of ${manifest.name} will not be found by another version of the data set: ${error}`),
      );
    },
    finish: way.finishRows(prompts, plainScores),
    unchanged: plan.found === null ? async () => undefined : plan.found.watch(),
  });
  const store = (rows: readonly ModelRow[], facts: ModelFacts) => filling.store(rows, facts);
  const job = {
    dataset,
    prompts: evaluated.filter((prompt) => !done.has(prompt.id)),
    sharing: sharedBeginning(evaluated),
    onRows: store,
    ...(prompts.some(({ mode }) => mode === 'reply') && { onReplies: store }),
  };
  return {
    ...base,
    job,
    take: (rows, facts) => filling.take(rows, facts),
    table: () => filling.table(entry.key.name),
    close: () => filling.close(),
  };
}

function askedIn(workspace: Workspace, { plan, dataset: id, way: name }: EntryToFill) {
  const dataset = workspace.datasets.find(({ spec }) => spec.id === id);
  const asked = dataset && askedOf(workspace, dataset, plan.model).find(({ way }) => way.name === name);
  if (asked === undefined) throw new SupportCalError('internal', `${plan.model.id} is not asked (${name}) on ${id}`);
  return asked;
}

/** Rows that another version of the data set had scored are kept in this entry too, with the name of that entry. */
async function takeEarlierRows(
  cache: string,
  { entry, contents }: { readonly entry: OpenEntry; readonly contents: RowContents },
  writer: EntryWriter,
): Promise<void> {
  const earlier = await findEarlierRows(cache, entry.key, contents);
  const read = await earlier?.read();
  if (earlier === null || !read) return;
  const there = writer.completedIds();
  const rows = read.rows.filter(({ id }) => !there.has(id));
  if (rows.length === 0) return;
  const { takenOver: _theirs, ...facts } = read.facts;
  const own = writer.facts() as ModelFacts | null;
  const takenOver = [...(own?.takenOver ?? []), { entry: earlier.entry, rows: rows.length }];
  // Who says where rows are from is on disk before they are.
  await writer.keepFacts({ ...(own ?? facts), takenOver });
  await writer.append(rows);
}

/** What becomes of the rows of one entry. */
interface RowSteps {
  readonly way: WayOfAsking;
  readonly finish: FinishRows;
  /** Throws when the model is no longer the one that the key of the entry was made from. */
  readonly unchanged: () => Promise<void>;
  /** Writes down what the rows of the complete entry were asked. */
  readonly note: (completed: CompletedEntry) => Promise<void>;
}

interface CompletedEntry {
  readonly table: ScoreTable;
  readonly manifest: Manifest;
}

/** Keeps the rows of one entry as they come, and compacts the entry as soon as every example has a row. */
class Filling {
  #facts: ModelFacts | null = null;
  #completed: Promise<CompletedEntry> | null = null;

  constructor(
    private readonly writer: EntryWriter,
    private readonly rowCount: number,
    private readonly steps: RowSteps,
  ) {
    this.#completeWhenFull();
  }

  async store(rows: readonly ModelRow[], modelFacts: ModelFacts): Promise<void> {
    const { way, finish, unchanged } = this.steps;
    await unchanged();
    await this.take(await finish(rows), { ...modelFacts, ...way.facts });
  }

  /** Keeps rows that are finished already. */
  async take(rows: readonly ModelRow[], rowFacts: ModelFacts): Promise<void> {
    const { takenOver } = (this.writer.facts() ?? {}) as Partial<ModelFacts>;
    const facts: ModelFacts = { ...rowFacts, ...(takenOver && { takenOver }) };
    if (this.#facts === null) await this.writer.keepFacts(facts);
    this.#facts = facts;
    await this.writer.append(rows);
    this.#completeWhenFull();
  }

  async table(entry: string): Promise<ScoreTable> {
    if (this.#completed === null) throw new SupportCalError('internal', `some rows of entry ${entry} have not come`);
    return (await this.#completed).table;
  }

  async close(): Promise<void> {
    try {
      await this.#completed;
    } finally {
      await this.writer.release();
    }
  }

  /** Until every example has a row, rows stay in parts for the next run. */
  #completeWhenFull(): void {
    if (this.writer.completedIds().size !== this.rowCount) return;
    this.#completed = this.writer
      .complete(this.#facts ?? this.writer.facts(), new Date().toISOString())
      .then(async (completed) => {
        await this.steps.note(completed);
        return completed;
      });
    // `close` hears of a failure; until then the model goes on with its next data set.
    this.#completed.catch(() => undefined);
  }
}

/**
 * All open entries of one model as one job: the model is loaded once for all its data sets; plain prompts come first.
 */
export function modelJob(plan: ModelPlan, writers: readonly OpenEntryWriter[], device: Device): AnyModelJob[] {
  const isPlain = ({ way }: OpenEntryWriter) => Number(way === plain.name);
  const own = writers.filter(({ model }) => model === plan.model.id);
  const jobs = own.toSorted((a, b) => isPlain(b) - isPlain(a)).map(({ job }) => job);
  if (plan.found === null || jobs.every((job) => job.prompts.length === 0)) return [];
  return [{ model: plan.model, place: plan.found.place, content: modelContent(plan.model, plan.found, device), jobs }];
}
