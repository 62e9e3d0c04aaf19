import type { ModelRow, ScoredRow } from '../contract/scored-row.js';
import type { ModelFacts, ModelJob, ScoringEvents } from '../contract/scorer.js';

/** In place of a number of logits: a reply is awaited. */
export const REPLY = -1;

export interface RowDelivery {
  /** Prompts of a job that have no row yet. */
  remaining(job: number): ModelJob['jobs'][number]['prompts'];
  /** Number of logits of a row that is still to come, or REPLY; null for any other id. */
  awaits(job: number, id: string): number | null;
  readonly tokens: number;
  readonly rows: number;
  /** Takes rows of one job; resolves when the child may send more. Rejects when `onRows` does. */
  add(job: number, rows: readonly ModelRow[], facts: ModelFacts, tokens: number): Promise<void>;
  /** Hands over what is held back. */
  flush(): Promise<void>;
}

/**
 * Hands the rows of one model to the job's `onRows` as they come, one group at a time. What the contexts of a GPU send
 * while a group is being stored makes the next group.
 */
export function deliverRows(model: ModelJob, events: ScoringEvents): RowDelivery {
  const held = model.jobs.map(() => ({ rows: [] as ModelRow[], tokens: 0 }));
  const known = model.jobs.map(() => new Set<string>());
  const options = model.jobs.map(
    ({ prompts }) => new Map(prompts.map((prompt) => [prompt.id, logitsOf(prompt)] as const)),
  );
  let facts: ModelFacts | undefined;
  let queue: Promise<void> = Promise.resolve();
  let tokens = 0;
  let count = 0;

  const handOver = async (job: number) => {
    const group = held[job]!;
    if (group.rows.length === 0 || facts === undefined) return;
    const { rows, tokens: groupTokens } = group;
    held[job] = { rows: [], tokens: 0 };
    const { onRows, onReplies } = model.jobs[job]!;
    // Rows of another kind than was asked for have been refused before (check-message).
    await (onReplies === undefined ? onRows(rows as ScoredRow[], facts) : onReplies(rows, facts));
    events.onRows?.(model.model.id, model.jobs[job]!.dataset, rows.length, groupTokens);
  };
  const flush = async () => {
    for (const job of held.keys()) await handOver(job);
  };
  const inTurn = (work: () => Promise<void>) => {
    queue = queue.then(work);
    return queue;
  };

  return {
    remaining: (job) => model.jobs[job]!.prompts.filter((prompt) => !known[job]!.has(prompt.id)),
    awaits: (job, id) => (known[job]!.has(id) ? null : (options[job]!.get(id) ?? null)),
    get tokens() {
      return tokens;
    },
    get rows() {
      return count;
    },
    add: (job, rows, currentFacts, newTokens) => {
      facts = currentFacts;
      const fresh = rows.filter((row) => !known[job]!.has(row.id));
      for (const row of fresh) known[job]!.add(row.id);
      held[job]!.rows.push(...fresh);
      held[job]!.tokens += newTokens;
      tokens += newTokens;
      count += fresh.length;
      return inTurn(flush);
    },
    flush: () => inTurn(flush),
  };
}

/** One per option, under every order of the options that is asked for. */
function logitsOf({ mode, continuations, rotations }: ModelJob['jobs'][number]['prompts'][number]): number {
  if (mode === 'reply') return REPLY;
  return (rotations ?? [{ continuations }]).reduce((sum, each) => sum + each.continuations.length, 0);
}
