import { setTimeout as sleep } from 'node:timers/promises';
import type { OtherRun } from '../../cache/runs-at-work.js';
import type { ModelOutcome, ScoringEvents, ScoringJob } from '../../contract/scorer.js';
import { isLost } from './close-writers.js';
import { modelJob, type OpenEntryWriter } from './open-entry-writer.js';
import type { SharedState } from './shared-work.js';

/** What became of rows that a run held. */
export interface SharedClaim {
  readonly outcomes: readonly ModelOutcome[];
  /** Names of the entries that other runs have taken over. */
  readonly lost: ReadonlySet<string>;
  /** Whether it stopped early, so that a run without work can take some of the rows. */
  readonly gaveBack: boolean;
}

/** Rows that a run has taken. */
export interface HeldRows {
  readonly writers: readonly OpenEntryWriter[];
  /** What a row of each entry costs, by the entry's name. */
  readonly costs: ReadonlyMap<string, number>;
  /** When it began to take them, by `performance.now`. */
  readonly since: number;
}

/** So few rows are a batch or two, and a range: scored to their end. */
const FEW_ROWS = 16;
/** Rows are given back once the work since the start is worth so many starts, and so is what is left. */
const STARTS = 2;

/**
 * Scores the rows that are held. Meanwhile it looks at what other runs do: when one of them waits for an entry of which
 * this run holds rows, and no other run has more left, it stops after the rows in hand, so that all of them can take
 * equal shares. To stop costs as much as taking the rows and loading the model did, so it does not happen before the
 * work since was worth that.
 */
export async function scoreClaim(state: SharedState, claim: HeldRows): Promise<SharedClaim> {
  const { plans, run, score } = state;
  const watched = new WatchedClaim(claim);
  const jobs = plans.flatMap((plan) => modelJob(plan, watched.writers));
  if (jobs.length === 0) return { outcomes: [], lost: watched.lost, gaveBack: false };
  const share = new AbortController();
  const ended = new AbortController();
  const watch = watchOthers(state, watched, { share, ended: ended.signal });
  try {
    const outcomes = await score(jobs, AbortSignal.any([run.signal, share.signal]), quiet(run.events, share.signal));
    const own = outcomes.filter((outcome) => !(isInterrupted(outcome) && share.signal.aborted));
    return {
      outcomes: own.filter(({ model }) => !watched.lostModels.has(model)),
      lost: watched.lost,
      gaveBack: share.signal.aborted,
    };
  } finally {
    ended.abort();
    await watch;
  }
}

/** A model that is put down to be taken up again has not failed. */
function quiet(events: ScoringEvents, share: AbortSignal): ScoringEvents {
  return {
    ...events,
    onModelEnd: (outcome) => {
      if (!(share.aborted && isInterrupted(outcome))) events.onModelEnd?.(outcome);
    },
  };
}

/** As a scorer must say of a model that was not through when the signal fired. */
function isInterrupted(outcome: ModelOutcome): boolean {
  return outcome.kind === 'failed' && outcome.reason.startsWith('interrupted');
}

/** Rows on their way: how fast they come, and what is left of them. */
class WatchedClaim {
  readonly writers: readonly OpenEntryWriter[];
  readonly lost = new Set<string>();
  readonly lostModels = new Set<string>();
  readonly #rowsAtStart: number;
  #firstRows: number | null = null;

  constructor(private readonly claim: HeldRows) {
    this.writers = claim.writers.map((writer) => ({ ...writer, job: this.#watched(writer) }));
    this.#rowsAtStart = this.rowsLeft();
  }

  rowsLeft(): number {
    return this.claim.writers.reduce((sum, writer) => sum + writer.rowsLeft(), 0);
  }

  note() {
    const unfinished = this.claim.writers.filter((writer) => writer.rowsLeft() > 0);
    const rows = this.claim.writers.reduce((sum, each) => sum + each.rows, 0);
    return {
      holds: unfinished.map(({ name }) => name),
      models: [...new Set(unfinished.map(({ model }) => model))],
      rows,
      done: rows - this.rowsLeft(),
      left: unfinished.reduce((sum, each) => sum + each.rowsLeft() * (this.claim.costs.get(each.name) ?? 1), 0),
      waitsFor: [],
    };
  }

  /** Whether the work since the start, and what is left, are worth another start each. */
  worthStopping(): boolean {
    if (this.#firstRows === null || this.rowsLeft() <= FEW_ROWS) return false;
    const startup = this.#firstRows - this.claim.since;
    const worked = performance.now() - this.#firstRows;
    const rowsDone = this.#rowsAtStart - this.rowsLeft();
    const remaining = (worked / Math.max(1, rowsDone)) * this.rowsLeft();
    return worked >= STARTS * startup && remaining >= STARTS * startup;
  }

  #watched({ job, name, model }: OpenEntryWriter): ScoringJob {
    const watch =
      <Rows, Facts>(keep: (rows: Rows, facts: Facts) => Promise<void>) =>
      async (rows: Rows, facts: Facts) => {
        this.#firstRows ??= performance.now();
        await keep(rows, facts).catch((error) => {
          if (isLost(error)) {
            this.lost.add(name);
            this.lostModels.add(model);
          }
          throw error;
        });
      };
    const { onRows, onReplies } = job;
    return { ...job, onRows: watch(onRows), ...(onReplies && { onReplies: watch(onReplies) }) };
  }
}

/** Tells the others what this run does, until it ends or gives back. */
async function watchOthers(
  { runs, run, plans, pollMs = 1000, shard }: SharedState,
  claim: WatchedClaim,
  { share, ended }: { readonly share: AbortController; readonly ended: AbortSignal },
): Promise<void> {
  while (!ended.aborted) {
    const note = claim.note();
    const others = await runs.look(note);
    if (others.length > 0) run.events.onOtherRuns?.(others, plans.length);
    const asked = others.some(({ waitsFor }) => waitsFor.some((name) => note.holds.includes(name)));
    const mostLeft = others.every((other) => isLess(other, { left: note.left, name: runs.name }));
    if (asked && mostLeft && shard === null && claim.worthStopping()) return share.abort();
    await sleep(pollMs, undefined, { signal: ended }).catch(() => undefined);
  }
}

function isLess(a: Pick<OtherRun, 'left' | 'name'>, b: Pick<OtherRun, 'left' | 'name'>): boolean {
  return a.left < b.left || (a.left === b.left && a.name < b.name);
}
