import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelFacts, ModelJob, ScoringJob } from '../../contract/scorer.js';
import { sharedBeginning } from '../../contract/shared-beginning.js';
import type { Share } from '../../engine/protocol/protocol.js';

/** What one place scores of a model: a share of the batches of rows that several places were given together. */
export interface WorkPiece {
  readonly job: ModelJob;
  /** null: all of them. */
  readonly share: Share | null;
  /** Rows of it, about. */
  rows(): number;
  /** Rows of it that have not been handed over yet, about. */
  rowsLeft(): number;
  /** Ends it. What is left of the rows can be taken anew once all who share them have ended. */
  end(): void;
}

/** The rows of a model, as several places share them. */
export interface ModelWork {
  /** Rows that new pieces could take now. */
  rowsToTake(): number;
  /** Whether every row has been handed over. */
  isThrough(): boolean;
  /** Rows that have been handed over. */
  rowsDone(): number;
  /** What the rows said of the model that they came from. */
  facts(): ModelFacts | null;
  /** So many pieces which together hold all rows that can be taken now. */
  take(count: number): WorkPiece[];
}

interface Part {
  readonly job: ScoringJob;
  readonly rotated: boolean;
  /** Rows that were not handed over yet, in their order; those that a piece has are `taken`. */
  readonly open: Map<string, ExamplePrompt>;
  taken: boolean;
}

/**
 * Divides the rows of a model. Every piece has all prompts and a share of the batches: which prompts are evaluated
 * together moves logits on a GPU, so that batches must be those of one place that scores all, also when some rows have
 * been handed over before. While rows are divided, those with rotated options wait until all others have been handed
 * over, as a job demands, unless they come together with their plain rows.
 */
export function modelWork(job: ModelJob): ModelWork {
  const parts = job.jobs.map(newPart);
  let facts: ModelFacts | null = null;
  let done = 0;
  const keep = (given: ModelFacts, rows: number) => {
    facts ??= given;
    done += rows;
  };
  const toTake = () => takeable(parts).filter(({ taken }) => !taken);
  return {
    rowsToTake: () => toTake().reduce((sum, { open }) => sum + open.size, 0),
    isThrough: () => parts.every(({ open }) => open.size === 0),
    rowsDone: () => done,
    facts: () => facts,
    take(count) {
      const whole = count === 1 && parts.every(({ taken }) => !taken);
      const given = whole ? parts : toTake();
      let atWork = count;
      const end = () => {
        atWork -= 1;
        if (atWork === 0) for (const part of given) part.taken = false;
      };
      const all = parts.map((part) => ({ part, skipped: skippedOf(part, given.includes(part)) }));
      const plainOnly = arePlainLeft(parts) ? { ordersWithPlainOnly: true } : {};
      const shares = Array.from({ length: count }, (_, index): Share => ({ index, count, ...plainOnly }));
      const pieces = shares.map((share) => newPiece(job, all, share, { keep, end }));
      for (const part of given) part.taken = true;
      return pieces;
    },
  };
}

function newPart(job: ScoringJob): Part {
  const { prompts, sharing = sharedBeginning(prompts) } = job;
  return {
    job: { ...job, sharing },
    rotated: prompts.some(({ rotations }) => rotations !== undefined),
    open: new Map(prompts.map((prompt) => [prompt.id, prompt])),
    taken: false,
  };
}

function takeable(parts: readonly Part[]): Part[] {
  const plainLeft = arePlainLeft(parts);
  return parts.filter(({ rotated, job }) => !(rotated && plainLeft) || job.asks === 'other-orders');
}

function arePlainLeft(parts: readonly Part[]): boolean {
  return parts.some(({ rotated, open }) => !rotated && open.size > 0);
}

/** The prompts of a part that are planned into batches and get no row. */
function skippedOf({ job, open }: Part, isGiven: boolean): ReadonlySet<string> {
  return new Set(job.prompts.flatMap(({ id }) => (isGiven && open.has(id) ? [] : [id])));
}

interface GivenPart {
  readonly part: Part;
  readonly skipped: ReadonlySet<string>;
}

interface Told {
  readonly keep: (facts: ModelFacts, rows: number) => void;
  readonly end: () => void;
}

function newPiece(job: ModelJob, parts: readonly GivenPart[], share: Share, { keep, end }: Told): WorkPiece {
  const wanted = parts.reduce((sum, { part, skipped }) => sum + part.job.prompts.length - skipped.size, 0);
  const rows = Math.ceil(wanted / share.count);
  let given = 0;
  const jobs = parts.map(({ part, skipped }): ScoringJob => {
    const { onRows, onReplies } = part.job;
    /** A row that two places scored, after a crash of one of them, is handed over once. */
    const note =
      <Row extends { readonly id: string }>(give: (rows: readonly Row[], facts: ModelFacts) => Promise<void>) =>
      async (all: readonly Row[], facts: ModelFacts) => {
        const fresh = all.filter(({ id }) => part.open.has(id));
        const prompts = fresh.map(({ id }) => [id, part.open.get(id)] as const);
        for (const { id } of fresh) part.open.delete(id);
        given += all.length;
        if (fresh.length === 0) return;
        await give(fresh, facts).catch((error) => {
          for (const [id, prompt] of prompts) if (prompt !== undefined) part.open.set(id, prompt);
          throw error;
        });
        keep(facts, fresh.length);
      };
    return {
      ...part.job,
      ...(skipped.size > 0 && { skipped }),
      onRows: note(onRows),
      ...(onReplies && { onReplies: note(onReplies) }),
    };
  });
  return {
    job: { ...job, jobs },
    share: share.count === 1 ? null : share,
    rows: () => rows,
    rowsLeft: () => Math.max(0, rows - given),
    end,
  };
}
