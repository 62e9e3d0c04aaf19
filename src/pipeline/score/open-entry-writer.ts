import { findEarlierRows, type RowContents, writeContentRows } from '../../cache/content-rows.js';
import type { EntryWriter } from '../../cache/entry-writer.js';
import type { Manifest } from '../../cache/key/manifest.js';
import { openEntry, type TryOpenOptions, tryOpenEntry } from '../../cache/open-entry.js';
import { openRanges } from '../../cache/open-ranges.js';
import type { ScoreTable } from '../../cache/table/score-table.js';
import type { Device } from '../../contract/device.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelRow } from '../../contract/scored-row.js';
import type { AnyModelJob, ModelFacts, ScoringJob } from '../../contract/scorer.js';
import { sharedBeginning } from '../../contract/shared-beginning.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { plain } from '../asking/plain.js';
import type { FinishRows, WayOfAsking } from '../asking/way-of-asking.js';
import type { OpenEntry } from '../join/planned-entry.js';
import { askedOf } from '../workspace/load-workspace.js';
import { modelContent } from '../workspace/model-content.js';
import type { PipelineEvents } from '../workspace/pipeline-events.js';
import type { Workspace } from '../workspace/workspace.js';
import { rowContents } from './row-contents.js';
import { rowCost } from './row-cost.js';
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

/** The writer of one cache entry, or of some of its rows: what it holds is locked until `close`. */
export interface OpenEntryWriter {
  readonly model: string;
  readonly way: string;
  /** Name of the entry. */
  readonly name: string;
  /** Whether it holds every row of the entry, which it then completes. */
  readonly whole: boolean;
  /** Rows that it holds, scored ones included. */
  readonly rows: number;
  /** What is left to score, and where the rows go. */
  readonly job: ScoringJob;
  /** Rows that it holds and that have no scores yet. */
  rowsLeft(): number;
  /** Keeps rows that another entry has, finished as they are there. */
  take(rows: readonly ModelRow[], facts: ModelFacts): Promise<void>;
  /** All rows of the entry, once every example has one. */
  table(): Promise<ScoreTable>;
  /** Rejects when rows could not be kept. */
  close(): Promise<void>;
}

type PlainScores = () => Promise<ScoreTable>;

/**
 * Opens the writer of one entry, waiting for its lock; nothing is left to do when another run completed the entry
 * meanwhile.
 *
 * @param plainScores the plain scores of the same model on the same data set; asked for when rows come that need them
 */
export async function openEntryWriter(
  run: WritingRun,
  toFill: EntryToFill,
  plainScores: PlainScores,
): Promise<OpenEntryWriter> {
  const { workspace, signal } = run;
  const { cache, refresh } = workspace.options;
  const opened = await openEntry(cache, toFill.entry.key, { ...openOptions(run, toFill), refresh, signal });
  if (opened.kind === 'open') {
    if (!refresh) await takeEarlierRows(run, toFill, opened.writer);
    return writerOf(run, toFill, { opened, plainScores });
  }
  const job = { dataset: toFill.dataset, prompts: [], onRows: async () => {} };
  const base = { model: toFill.plan.model.id, way: toFill.way, name: toFill.entry.key.name, whole: true };
  const nothing = { rows: 0, job, rowsLeft: () => 0, take: async () => {} };
  return { ...base, ...nothing, table: async () => opened.table, close: async () => {} };
}

/** Opens an entry that nobody holds; null: another run holds it or some of its rows. */
export async function tryEntryWriter(
  run: WritingRun,
  toFill: EntryToFill,
  { seek, readParts, plainScores }: Pick<WantedRows, 'seek' | 'readParts' | 'plainScores'>,
): Promise<OpenEntryWriter | 'complete' | null> {
  const options = { ...openOptions(run, toFill), seek, readParts };
  const opened = await tryOpenEntry(run.workspace.options.cache, toFill.entry.key, options);
  if (opened === null || opened.kind === 'complete') return opened === null ? null : 'complete';
  await takeEarlierRows(run, toFill, opened.writer);
  return writerOf(run, toFill, { opened, plainScores });
}

/** Which rows of an entry a run would like to hold. */
export interface WantedRows extends Pick<TryOpenOptions, 'seek' | 'readParts'> {
  readonly plainScores: PlainScores;
  readonly rows: number;
  readonly only: ReadonlySet<number> | undefined;
}

/** Opens some rows of an entry that nobody holds, or says why there are none. */
export async function rowsWriter(
  run: WritingRun,
  toFill: EntryToFill,
  { seek, readParts, plainScores, rows, only }: WantedRows,
): Promise<OpenEntryWriter | 'complete' | 'scored' | 'held'> {
  const prepare = (writer: EntryWriter) => takeEarlierRows(run, toFill, writer);
  const options = { ...openOptions(run, toFill), seek, readParts, rows, only, prepare };
  const opened = await openRanges(run.workspace.options.cache, toFill.entry.key, options);
  return opened.kind === 'open' ? writerOf(run, toFill, { opened, plainScores }) : opened.kind;
}

function openOptions({ workspace, events }: WritingRun, toFill: EntryToFill) {
  const { prompts } = askedIn(workspace, toFill);
  const onMessage = (message: string) => events.onLog?.('warn', message);
  return { ids: prompts.map(({ id }) => id), onMessage };
}

interface OpenedRows {
  /** `ids`: of the rows that are held; absent: all rows of the entry. */
  readonly opened: { readonly writer: EntryWriter; readonly ids?: readonly string[] };
  readonly plainScores: PlainScores;
}

function writerOf(
  { workspace, events }: WritingRun,
  toFill: EntryToFill,
  { opened, plainScores }: OpenedRows,
): OpenEntryWriter {
  const { dataset, plan, entry } = toFill;
  const { way, prompts, evaluated } = askedIn(workspace, toFill);
  const { writer } = opened;
  const held = opened.ids === undefined ? null : new Set(opened.ids);
  const rows = held?.size ?? prompts.length;
  const done = new Set(writer.completedIds());
  const contents = contentsOf(toFill, prompts);
  const filling = new Filling(writer, held === null ? prompts.length : null, {
    way,
    note: async ({ manifest, table }) => {
      if (contents === null) return;
      await writeContentRows(workspace.options.cache, manifest, table.ids, contents).catch((error) =>
        events.onLog?.(
          'warn',
          `rows of ${manifest.name} will not be found by another version of the data set: ${error}`,
        ),
      );
    },
    finish: way.finishRows(prompts, plainScores),
    unchanged: plan.found === null ? async () => undefined : plan.found.watch(),
  });
  const cost = rowCost(workspace, toFill);
  const store = async (stored: readonly ModelRow[], facts: ModelFacts) => {
    await filling.store(stored, facts);
    events.onCost?.(plan.model.id, cost * stored.length);
  };
  const job = {
    dataset,
    prompts: evaluated.filter(({ id }) => !done.has(id) && held?.has(id) !== false),
    ...asksOf(way),
    sharing: sharedBeginning(evaluated),
    onRows: store,
    ...(prompts.some(({ mode }) => mode === 'reply') && { onReplies: store }),
  };
  return {
    model: plan.model.id,
    way: way.name,
    name: entry.key.name,
    whole: held === null,
    rows,
    job,
    rowsLeft: () => rows - writer.completedIds().size,
    take: (taken, facts) => filling.take(taken, facts),
    table: () => filling.table(entry.key.name),
    close: () => filling.close(),
  };
}

/** What a job in a way of asking says of its orders of options. */
export function asksOf(way: WayOfAsking): Pick<ScoringJob, 'asks'> {
  if (way.facts.firstOrder === 'plain') return { asks: 'other-orders' };
  return way.name === plain.name ? { asks: 'plain' } : {};
}

function askedIn(workspace: Workspace, { plan, dataset: id, way: name }: EntryToFill) {
  const dataset = workspace.datasets.find(({ spec }) => spec.id === id);
  const asked = dataset && askedOf(workspace, dataset, plan.model).find(({ way }) => way.name === name);
  if (asked === undefined) throw new SupportCalError('internal', `${plan.model.id} is not asked (${name}) on ${id}`);
  return asked;
}

function contentsOf({ entry }: EntryToFill, prompts: readonly ExamplePrompt[]): RowContents | null {
  const { ingredients } = entry.key;
  return ingredients.kind === 'scored' ? rowContents(ingredients, prompts) : null;
}

/** Rows that another version of the data set had scored are kept in this entry too, with the name of that entry. */
async function takeEarlierRows(run: WritingRun, toFill: EntryToFill, writer: EntryWriter): Promise<void> {
  try {
    await addEarlierRows(run, toFill, writer);
  } catch (error) {
    await writer.release().catch(() => undefined);
    throw error;
  }
}

async function addEarlierRows({ workspace }: WritingRun, toFill: EntryToFill, writer: EntryWriter): Promise<void> {
  const contents = contentsOf(toFill, askedIn(workspace, toFill).prompts);
  if (contents === null) return;
  const earlier = await findEarlierRows(workspace.options.cache, toFill.entry.key, contents);
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
    /** Rows of the whole entry; null: only some of them are held, so that another run completes it. */
    private readonly rowCount: number | null,
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
export function modelJob(plan: ModelPlan, writers: readonly OpenEntryWriter[], device?: Device): AnyModelJob[] {
  const isPlain = ({ way }: OpenEntryWriter) => Number(way === plain.name);
  const own = writers.filter(({ model }) => model === plan.model.id);
  const jobs = own.toSorted((a, b) => isPlain(b) - isPlain(a)).map(({ job }) => job);
  if (plan.found === null || jobs.every((job) => job.prompts.length === 0)) return [];
  const content = device === undefined ? {} : { content: modelContent(plan.model, plan.found, device) };
  return [{ model: plan.model, place: plan.found.place, ...content, jobs }];
}
