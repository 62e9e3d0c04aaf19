import type { KeyIngredients } from '../../cache/key/entry-key.js';
import { tableRows } from '../../cache/table/table-rows.js';
import type { ModelFacts, ModelOutcome } from '../../contract/scorer.js';
import { contentHash } from '../../files/content-hash.js';
import type { ReadyEntry } from '../join/planned-entry.js';
import type { EntryToFill, OpenEntryWriter } from './open-entry-writer.js';
import { allEntries, type ModelPlan } from './score-plan.js';

/**
 * Entries that differ in nothing but the id of their model: one file under two ids, asked the same. Each id has an entry
 * of its own, but the model is asked once.
 */
export interface Twins {
  /** Of an open entry, the one in the cache whose rows it takes. */
  readonly ready: ReadonlyMap<EntryToFill, ReadyEntry>;
  /** Of an open entry, the open one that is scored for both. */
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

/** The writers of all open entries; each that has a twin gets the rows of that and has nothing left to score. */
export async function shareRows(
  writers: ReadonlyMap<EntryToFill, OpenEntryWriter>,
  { ready, scored }: Twins,
): Promise<OpenEntryWriter[]> {
  const shared = new Map(writers);
  for (const [follower, { table, manifest }] of ready) {
    const writer = writers.get(follower);
    if (writer === undefined) continue;
    await writer.take(wanted(tableRows(table), writer), manifest.facts as ModelFacts);
    shared.set(follower, withoutPrompts(writer));
  }
  const led = [...scored].flatMap(([follower, leader]) => {
    const [behind, ahead] = [writers.get(follower), writers.get(leader)];
    return behind === undefined || ahead === undefined ? [] : [{ follower, leader, behind, ahead }];
  });
  // Rows that build on plain ones come after them only where one model is asked for all of them.
  const apart = led.filter(({ behind, ahead }) => wanted(behind.job.prompts, ahead).length < behind.job.prompts.length);
  const stays = ({ plan, dataset }: EntryToFill) =>
    apart.some(({ follower }) => follower.plan === plan && follower.dataset === dataset);
  for (const { follower, leader, behind } of led) {
    if (stays(follower)) continue;
    const ahead = shared.get(leader);
    if (ahead !== undefined) shared.set(leader, leading(ahead, behind));
    shared.set(follower, withoutPrompts(behind));
  }
  return [...shared.values()];
}

/** Those among rows or prompts that an entry still lacks. */
function wanted<Row extends { readonly id: string }>(rows: readonly Row[], { job }: OpenEntryWriter): Row[] {
  const lacking = new Set(job.prompts.map(({ id }) => id));
  return rows.filter(({ id }) => lacking.has(id));
}

function withoutPrompts(writer: OpenEntryWriter): OpenEntryWriter {
  return { ...writer, job: { ...writer.job, prompts: [] } };
}

/** A writer that hands its rows on to the one behind it as soon as it has kept them itself. */
function leading(writer: OpenEntryWriter, behind: OpenEntryWriter): OpenEntryWriter {
  const { onRows, onReplies } = writer.job;
  const { onRows: onRowsBehind, onReplies: onRepliesBehind } = behind.job;
  return {
    ...writer,
    job: {
      ...writer.job,
      onRows: async (rows, facts) => {
        await onRows(rows, facts);
        await onRowsBehind(wanted(rows, behind), facts);
      },
      ...(onReplies !== undefined && {
        onReplies: async (rows, facts) => {
          await onReplies(rows, facts);
          await onRepliesBehind?.(wanted(rows, behind), facts);
        },
      }),
    },
  };
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
