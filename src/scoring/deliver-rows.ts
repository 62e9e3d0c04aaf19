import type { ModelFacts, ModelJob, ScoringEvents } from './contract.js';
import type { ScoredRow } from './scored-row.js';

export interface RowDelivery {
  /** Prompts of a job that have no row yet. */
  remaining(job: number): ModelJob['jobs'][number]['prompts'];
  /** Number of logits of a row that is still to come; null for any other id. */
  awaits(job: number, id: string): number | null;
  readonly tokens: number;
  readonly rows: number;
  /** Takes rows of one job; resolves when the child may send more. Rejects when `onRows` does. */
  add(job: number, rows: readonly ScoredRow[], facts: ModelFacts, tokens: number): Promise<void>;
  /** Hands over what is held back. */
  flush(): Promise<void>;
}

/** Rows are handed over in groups of this size, or sooner when the last group is older than `GROUP_MS`. */
const GROUP_ROWS = 64;
const GROUP_MS = 2000;

/** Collects the rows of one model into groups and awaits the job's `onRows` for each, one group at a time. */
export function deliverRows(model: ModelJob, events: ScoringEvents): RowDelivery {
  const held = model.jobs.map(() => ({ rows: [] as ScoredRow[], tokens: 0 }));
  const known = model.jobs.map(() => new Set<string>());
  const options = model.jobs.map(
    ({ prompts }) => new Map(prompts.map((prompt) => [prompt.id, logitsOf(prompt)] as const)),
  );
  let facts: ModelFacts | undefined;
  let last = performance.now();
  let queue: Promise<void> = Promise.resolve();
  let tokens = 0;
  let count = 0;

  const handOver = async (job: number) => {
    const group = held[job]!;
    if (group.rows.length === 0 || facts === undefined) return;
    const { rows, tokens: groupTokens } = group;
    held[job] = { rows: [], tokens: 0 };
    last = performance.now();
    await model.jobs[job]!.onRows(rows, facts);
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
      const due = held[job]!.rows.length >= GROUP_ROWS || performance.now() - last > GROUP_MS;
      return inTurn(due ? () => flush() : async () => {});
    },
    flush: () => inTurn(flush),
  };
}

/** One per option, under every order of the options that is asked for. */
function logitsOf({ continuations, rotations }: ModelJob['jobs'][number]['prompts'][number]): number {
  return (rotations ?? [{ continuations }]).reduce((sum, each) => sum + each.continuations.length, 0);
}
