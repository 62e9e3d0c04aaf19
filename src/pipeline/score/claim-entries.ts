import { entryFiles } from '../../cache/key/entry-files.js';
import type { LockSeekers } from '../../cache/lock/lock-seekers.js';
import { listParts } from '../../cache/parts/part-files.js';
import type { PartReader } from '../../cache/parts/part-reader.js';
import { readEntry } from '../../cache/read-entry.js';
import type { OtherRun } from '../../cache/runs-at-work.js';
import type { ScoreTable } from '../../cache/table/score-table.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { plain } from '../asking/plain.js';
import { rotations } from '../asking/rotations.js';
import {
  type EntryToFill,
  type OpenEntryWriter,
  rowsWriter,
  tryEntryWriter,
  type WritingRun,
} from './open-entry-writer.js';
import { rowCost } from './row-cost.js';
import { plainEntries } from './score-plan.js';
import type { ShardRows } from './shard-rows.js';

/** What a run looks for work among. */
export interface ClaimInput {
  readonly run: WritingRun;
  /** Entries that still lack rows, by name; complete ones are taken out. */
  readonly left: Map<string, EntryToFill>;
  /** Models that cannot be scored here. */
  readonly failed: ReadonlySet<string>;
  readonly others: readonly OtherRun[];
  readonly seek: LockSeekers;
  readonly readParts: PartReader;
  /** The rows that are this run's to score; null: all. */
  readonly shard: ShardRows | null;
}

/** An entry may be larger than what is free for it by this factor before it is divided. */
const WHOLE = 1.25;

/**
 * Takes its share of what nobody holds: all of it when no other run is at work on these entries, else an equal share
 * for each run that looks for work. Models that nobody else scores come first; an entry is divided when it is larger
 * than the share. Never waits: nothing when all that is left is held.
 */
export async function claimEntries(input: ClaimInput): Promise<OpenEntryWriter[]> {
  const { left, failed } = input;
  const candidates = await Promise.all(
    [...left.values()].filter(({ plan }) => !failed.has(plan.model.id)).map((each) => measured(input, each)),
  );
  const writers: OpenEntryWriter[] = [];
  let room = shareOf(input, candidates);
  try {
    for (const candidate of inOrder(candidates, input)) {
      if (room <= 0 && writers.length > 0) break;
      const writer = await claim(input, candidate, { room, writers });
      if (writer === null) continue;
      writers.push(writer);
      room -= writer.rowsLeft() * candidate.cost;
    }
    return writers;
  } catch (error) {
    await Promise.allSettled(writers.map((writer) => writer.close()));
    throw error;
  }
}

interface Candidate {
  readonly toFill: EntryToFill;
  readonly rowsLeft: number;
  /** The cost of one row; see `rowCost`. */
  readonly cost: number;
}

async function measured({ run }: ClaimInput, toFill: EntryToFill): Promise<Candidate> {
  const { cache } = run.workspace.options;
  const { rowsDone, rowsLeft, key } = toFill.entry;
  const parts = await listParts(entryFiles(cache, key).parts);
  const inParts = parts.reduce((sum, { rows }) => sum + rows, 0);
  const cost = rowCost(run.workspace, toFill);
  return { toFill, rowsLeft: Math.max(0, rowsDone + rowsLeft - inParts), cost };
}

/** Cost that this run may take; Infinity: nobody else is at work. */
function shareOf({ left, others, shard }: ClaimInput, candidates: readonly Candidate[]): number {
  const concerned = others.filter(({ holds, waitsFor }) => [...holds, ...waitsFor].some((name) => left.has(name)));
  if (concerned.length === 0 || shard !== null) return Number.POSITIVE_INFINITY;
  const all = candidates.reduce((sum, { rowsLeft, cost }) => sum + rowsLeft * cost, 0);
  const held = concerned.reduce((sum, each) => sum + each.left, 0);
  const looking = concerned.filter(({ waitsFor }) => waitsFor.some((name) => left.has(name))).length;
  return Math.max(0, all - held) / (looking + 1);
}

/** Models that nobody else scores first, costly ones before cheap ones; plain prompts before what builds on them. */
function inOrder(candidates: readonly Candidate[], { others }: ClaimInput): Candidate[] {
  const elsewhere = new Set(others.flatMap(({ models }) => models));
  const costs = new Map<string, number>();
  for (const { toFill, rowsLeft, cost } of candidates) {
    const model = toFill.plan.model.id;
    costs.set(model, (costs.get(model) ?? 0) + rowsLeft * cost);
  }
  const rank = ({ toFill: { plan, way } }: Candidate) => {
    const model = plan.model.id;
    return [Number(elsewhere.has(model)), -(costs.get(model) ?? 0), Number(way !== plain.name)] as const;
  };
  return candidates.toSorted((a, b) => {
    const [left, right] = [rank(a), rank(b)];
    return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
  });
}

interface ClaimState {
  readonly room: number;
  readonly writers: readonly OpenEntryWriter[];
}

async function claim(
  { run, left, seek, readParts, shard }: ClaimInput,
  { toFill, rowsLeft, cost }: Candidate,
  { room, writers }: ClaimState,
): Promise<OpenEntryWriter | null> {
  const { name } = toFill.entry.key;
  const only = shard?.get(name);
  if (!(await hasPlainScores(run, toFill, writers))) return null;
  const plainScores = () => plainTable(run, toFill, writers);
  if (rowsLeft === 0 || (only === undefined && rowsLeft * cost <= WHOLE * room)) {
    const opened = await tryEntryWriter(run, toFill, { seek, readParts, plainScores });
    if (opened === 'complete') left.delete(name);
    else if (opened !== null) return opened;
    if (opened !== null) return null;
  }
  const rows = room === Number.POSITIVE_INFINITY ? room : Math.max(1, Math.ceil(room / cost));
  const opened = await rowsWriter(run, toFill, { seek, readParts, plainScores, rows, only });
  if (typeof opened !== 'string') return opened;
  // Rows of other shards are not waited for.
  if (opened === 'complete' || (opened === 'scored' && only !== undefined && rowsLeft > 0)) left.delete(name);
  return null;
}

/** Rows of rotated options take their first order from the plain scores, which must be there or in the same hands. */
async function hasPlainScores(run: WritingRun, toFill: EntryToFill, writers: readonly OpenEntryWriter[]) {
  if (toFill.way !== rotations.name) return true;
  const entry = plainEntries(toFill.plan).get(toFill.dataset);
  if (entry?.kind !== 'open') return true;
  if (plainWriter(toFill, writers) !== undefined) return true;
  return (await readEntry(run.workspace.options.cache, entry.key)).kind === 'complete';
}

/** Plain scores of a model: from the cache, or of this run, which scores them before those that build on them. */
export async function plainTable(
  { workspace }: WritingRun,
  toFill: EntryToFill,
  writers: readonly OpenEntryWriter[],
): Promise<ScoreTable> {
  const entry = plainEntries(toFill.plan).get(toFill.dataset);
  if (entry?.kind === 'ready') return entry.table;
  const writer = plainWriter(toFill, writers);
  if (writer !== undefined) return writer.table();
  const state = entry?.kind === 'open' ? await readEntry(workspace.options.cache, entry.key) : null;
  if (state?.kind === 'complete') return state.table;
  throw new SupportCalError('internal', `${toFill.plan.model.id}: no plain scores on ${toFill.dataset}`);
}

/** The writer of this run that holds all plain rows of the same model and data set. */
function plainWriter({ plan, dataset }: EntryToFill, writers: readonly OpenEntryWriter[]) {
  const isPlain = ({ way, model, job, whole }: OpenEntryWriter) =>
    whole && way === plain.name && model === plan.model.id && job.dataset === dataset;
  return writers.find(isPlain);
}
