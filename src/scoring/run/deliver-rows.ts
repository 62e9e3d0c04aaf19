import type { ModelRow, ScoredRow } from '../../contract/scored-row.js';
import type { ModelFacts, ModelJob, ScoringEvents, ScoringJob } from '../../contract/scorer.js';
import type { FromWorker } from '../../engine/protocol/protocol.js';

/** In place of a number of logits: a reply is awaited. */
export const REPLY = -1;

type RowsMessage = Omit<Extract<FromWorker, { kind: 'rows' }>, 'kind'>;

export interface RowDelivery {
  /** Prompts of a job that have no row yet. */
  remaining(job: number): ScoringJob['prompts'];
  /** Number of logits of a row that is still to come, or REPLY; null for any other id. */
  awaits(job: number, id: string): number | null;
  /** Number of logits that such a row may have instead, with the first order of its options; null: no other. */
  awaitsWhole(job: number, id: string): number | null;
  readonly tokens: number;
  readonly rows: number;
  /** Takes rows of one job; resolves when the child may send more. Rejects when `onRows` does. */
  add(message: RowsMessage, facts: ModelFacts): Promise<void>;
  /** Hands over what is held back. */
  flush(): Promise<void>;
}

/** One job of a model on the way: which rows are known, and which are not handed over yet. */
interface Part {
  readonly job: ScoringJob;
  /** Number of logits, or REPLY, of every row that is to come. */
  readonly awaited: ReadonlyMap<string, number>;
  /** Number of logits with those of the first order of the options, for rows that may have it. */
  readonly whole: ReadonlyMap<string, number>;
  readonly known: Set<string>;
  held: ModelRow[];
  heldTokens: number;
}

/**
 * Hands the rows of one model to the job's `onRows` as they come, one group at a time. What the contexts of a GPU send
 * while a group is being stored makes the next group.
 */
export function deliverRows({ model, jobs }: ModelJob, events: ScoringEvents): RowDelivery {
  const parts = jobs.map(newPart);
  const partOf = (job: number): Part => {
    const part = parts[job];
    if (part === undefined) throw new RangeError(`model ${model.id} has no job ${job}`);
    return part;
  };
  let facts: ModelFacts | undefined;
  let queue: Promise<void> = Promise.resolve();
  let tokens = 0;
  let count = 0;
  const flush = () => {
    queue = queue.then(async () => {
      for (const part of parts) {
        if (part.held.length === 0 || facts === undefined) continue;
        const { held: rows, heldTokens } = part;
        part.held = [];
        part.heldTokens = 0;
        await store(part.job, rows, facts);
        events.onRows?.(model.id, part.job.dataset, rows.length, heldTokens);
      }
    });
    return queue;
  };
  return {
    remaining: (job) => partOf(job).job.prompts.filter(({ id }) => !partOf(job).known.has(id)),
    awaits(job, id) {
      const { known, awaited } = partOf(job);
      return known.has(id) ? null : (awaited.get(id) ?? null);
    },
    awaitsWhole: (job, id) => partOf(job).whole.get(id) ?? null,
    get tokens() {
      return tokens;
    },
    get rows() {
      return count;
    },
    add(message, currentFacts) {
      const part = partOf(message.job);
      facts = currentFacts;
      const fresh = message.rows.filter(({ id }) => !part.known.has(id));
      for (const { id } of fresh) part.known.add(id);
      part.held.push(...fresh);
      part.heldTokens += message.tokens;
      tokens += message.tokens;
      count += fresh.length;
      return flush();
    },
    flush,
  };
}

function newPart(job: ScoringJob): Part {
  const awaited = new Map(job.prompts.map((prompt) => [prompt.id, logitsOf(prompt)] as const));
  const mayBeWhole = job.asks === 'other-orders' ? job.prompts : [];
  const whole = new Map(
    mayBeWhole.map((prompt) => [prompt.id, logitsOf(prompt) + prompt.continuations.length] as const),
  );
  return { job, awaited, whole, known: new Set(job.skipped), held: [], heldTokens: 0 };
}

/** Rows of another kind than was asked for have been refused before (check-message). */
async function store({ onRows, onReplies }: ScoringJob, rows: readonly ModelRow[], facts: ModelFacts): Promise<void> {
  await (onReplies === undefined ? onRows(rows as readonly ScoredRow[], facts) : onReplies(rows, facts));
}

/** One per option, under every order of the options that is asked for. */
function logitsOf({ mode, continuations, rotations }: ScoringJob['prompts'][number]): number {
  if (mode === 'reply') return REPLY;
  return (rotations ?? [{ continuations }]).reduce((sum, each) => sum + each.continuations.length, 0);
}
