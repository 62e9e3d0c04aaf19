import { setTimeout as sleep } from 'node:timers/promises';
import { lockSeekers } from '../../cache/lock/lock-seekers.js';
import { partReader } from '../../cache/parts/part-reader.js';
import { type OtherRun, runsAtWork } from '../../cache/runs-at-work.js';
import type { ModelOutcome } from '../../contract/scorer.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { claimEntries } from './claim-entries.js';
import { closeWriters } from './close-writers.js';
import type { OpenEntryWriter } from './open-entry-writer.js';
import { rowCost } from './row-cost.js';
import { type SharedClaim, scoreClaim } from './score-claim.js';
import type { SharedState, SharedWork } from './shared-work.js';

/** Milliseconds between two looks at what other runs do. */
const POLL_MS = 1000;
/** The first looks of a waiting run come sooner: two runs that start together divide the work in a moment. */
const FIRST_POLL_MS = 200;

/**
 * Fills entries together with every other run that fills some of them: takes what nobody holds, scores it, comes back
 * for what is left, and returns when every entry is complete or cannot be scored here. While it scores it gives work
 * back as soon as a run finds nothing to do; see docs/shared-work.md.
 *
 * @throws SupportCalError interrupted; write-failed
 */
export async function shareEntries(work: SharedWork): Promise<ModelOutcome[]> {
  const { workspace, signal } = work.run;
  const runs = runsAtWork(workspace.options.cache);
  const left = new Map(work.open.map((each) => [each.entry.key.name, each]));
  const looks = { runs, seek: lockSeekers(), readParts: partReader() };
  const state: SharedState = { ...work, left, ...looks, failed: new Set(), outcomes: [] };
  const first = work.pollMs ?? FIRST_POLL_MS;
  try {
    for (let pause = first; ; pause = Math.min(work.pollMs ?? POLL_MS, 2 * pause)) {
      if (signal.aborted) throw new SupportCalError('interrupted', 'scoring was interrupted');
      const others = await runs.look({ ...NOTHING, waitsFor: [...left.keys()] });
      if (await scoreShare(state, others)) pause = first;
      else {
        if (!worthWaiting(state, others)) return state.outcomes;
        work.run.events.onOtherRuns?.(others, work.plans.length);
        await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  } finally {
    await runs.leave();
  }
}

const NOTHING = { holds: [], models: [], rows: 0, done: 0, left: 0 };

/** Whether an entry is left that this run can still score, or that another run holds. */
function worthWaiting({ left, failed }: SharedState, others: readonly OtherRun[]): boolean {
  const held = new Set(others.flatMap(({ holds }) => holds));
  return [...left].some(([name, { plan }]) => !failed.has(plan.model.id) || held.has(name));
}

/** Takes a share and scores it; false when there was nothing to take. */
async function scoreShare(state: SharedState, others: readonly OtherRun[]): Promise<boolean> {
  const { run, left, failed, seek, readParts, shard } = state;
  const since = performance.now();
  const before = left.size;
  const writers = await claimEntries({ run, left, failed, others, seek, readParts, shard });
  if (writers.length === 0) return left.size < before;
  let claim: SharedClaim | null = null;
  try {
    claim = await scoreClaim(state, { writers, costs: costsOf(state, writers), since });
    state.outcomes.push(...claim.outcomes);
  } finally {
    const lost = await closeWriters(writers);
    settle(state, writers, new Set([...lost, ...(claim?.lost ?? [])]), claim?.gaveBack ?? true);
  }
  if (run.signal.aborted) throw new SupportCalError('interrupted', 'scoring was interrupted');
  return true;
}

function costsOf({ run, left }: SharedState, writers: readonly OpenEntryWriter[]): ReadonlyMap<string, number> {
  return new Map(
    writers.map(({ name }) => {
      const toFill = left.get(name);
      return [name, toFill === undefined ? 1 : rowCost(run.workspace, toFill)];
    }),
  );
}

/** What is known of the entries once the writers are closed. */
function settle(
  { left, failed }: SharedState,
  writers: readonly OpenEntryWriter[],
  lost: ReadonlySet<string>,
  gaveBack: boolean,
): void {
  for (const writer of writers) {
    if (lost.has(writer.name)) continue;
    const rowsLeft = writer.rowsLeft();
    if (rowsLeft === 0 && writer.whole) left.delete(writer.name);
    // A model that fails takes its other entries along: one of them may have been lost to another run.
    const lostModel = writers.some(({ model, name }) => model === writer.model && lost.has(name));
    if (rowsLeft > 0 && !gaveBack && !lostModel) failed.add(writer.model);
  }
}
