import type { KeyIngredients } from '../../cache/key/entry-key.js';
import { readEntry } from '../../cache/read-entry.js';
import { tableRows } from '../../cache/table/table-rows.js';
import type { ModelFacts, ModelOutcome } from '../../contract/scorer.js';
import { contentHash } from '../../files/content-hash.js';
import type { ReadyEntry } from '../join/planned-entry.js';
import { type EntryToFill, type OpenEntryWriter, openEntryWriter, type WritingRun } from './open-entry-writer.js';
import { allEntries, type ModelPlan } from './score-plan.js';

/**
 * Entries that differ in nothing but the id of their model: one file under two ids, asked the same. Each id has an
 * entry of its own, but the model is asked once.
 */
export interface Twins {
  /** By open entry: the one in the cache whose rows it takes. */
  readonly ready: ReadonlyMap<EntryToFill, ReadyEntry>;
  /** By open entry: the open one that is scored for both. */
  readonly scored: ReadonlyMap<EntryToFill, EntryToFill>;
}

export function findTwins(plans: readonly ModelPlan[], open: readonly EntryToFill[]): Twins {
  const inCache = new Map<string, ReadyEntry>();
  for (const { entry } of plans.flatMap(allEntries))
    if (entry.kind === 'ready' && !entry.imported) inCache.set(withoutModel(entry.manifest.key), entry);
  const ready = new Map<EntryToFill, ReadyEntry>();
  const scored = new Map<EntryToFill, EntryToFill>();
  const leaders = new Map<string, EntryToFill>();
  for (const each of open) {
    const asked = withoutModel(each.entry.key.ingredients);
    const [known, leader] = [inCache.get(asked), leaders.get(asked)];
    if (known !== undefined) ready.set(each, known);
    else if (leader !== undefined) scored.set(each, leader);
    else leaders.set(asked, each);
  }
  return { ready, scored };
}

function withoutModel(ingredients: KeyIngredients): string {
  return contentHash({ ...ingredients, model: '' });
}

/** Gives every entry that has a twin the rows of that, once they are all there. */
export async function fillTwins(run: WritingRun, { ready, scored }: Twins): Promise<void> {
  const { cache } = run.workspace.options;
  for (const follower of [...ready.keys(), ...scored.keys()]) {
    const leader = scored.get(follower);
    const source = leader === undefined ? ready.get(follower) : await readEntry(cache, leader.entry.key);
    if (source === undefined || !('table' in source)) continue;
    const writer = await openEntryWriter(run, follower, async () => source.table);
    try {
      await writer.take(wanted(tableRows(source.table), writer), source.manifest.facts as ModelFacts);
    } finally {
      await writer.close();
    }
  }
}

/** Those among rows or prompts that an entry still lacks. */
function wanted<Row extends { readonly id: string }>(rows: readonly Row[], { job }: OpenEntryWriter): Row[] {
  const lacking = new Set(job.prompts.map(({ id }) => id));
  return rows.filter(({ id }) => lacking.has(id));
}

/** What became of the models, and of those that were not asked themselves as little as of the ones asked for them. */
export function withTwins(outcomes: readonly ModelOutcome[], { scored }: Twins): ModelOutcome[] {
  const ends = new Map(outcomes.map((outcome) => [outcome.model, outcome]));
  for (const [{ plan }, leader] of scored) {
    const end = ends.get(leader.plan.model.id);
    if (end?.kind === 'failed' && !ends.has(plan.model.id)) ends.set(plan.model.id, { ...end, model: plan.model.id });
  }
  return [...ends.values()];
}
