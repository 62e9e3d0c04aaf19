import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelFacts, ModelJob, ScoringJob } from '../../contract/scorer.js';
import { sharedBeginning } from '../../contract/shared-beginning.js';

/** Rows of a model that one place scores: a range of every data set, with everything a job says of it. */
export interface WorkPiece {
  readonly job: ModelJob;
  rows(): number;
  /** Rows that have not been handed over yet. */
  rowsLeft(): number;
  /** Puts the rows that are left back, for another piece to take. */
  giveBack(): void;
}

/** The rows of a model, as several places share them. */
export interface ModelWork {
  /** Rows that a new piece could take now. */
  rowsToTake(): number;
  /** Whether every row has been handed over. */
  isThrough(): boolean;
  /** Rows that have been handed over. */
  rowsDone(): number;
  /** What the rows said of the model that they came from. */
  facts(): ModelFacts | null;
  /** So many pieces of about the same number of characters, which together hold all rows that can be taken now. */
  take(count: number): WorkPiece[];
}

interface Part {
  readonly job: ScoringJob;
  readonly rotated: boolean;
  /** Rows that no piece holds, by their place in the job. */
  waiting: Map<number, ExamplePrompt>;
  /** Rows that were not handed over yet, in a piece or not. */
  readonly open: Set<string>;
}

/**
 * Divides the rows of a model. A piece that holds all of them has the parts of the job as they are. Divided, the rows
 * with rotated options wait until all others have been handed over by every piece, as a job demands.
 */
export function modelWork(job: ModelJob): ModelWork {
  const parts = job.jobs.map(newPart);
  let facts: ModelFacts | null = null;
  let done = 0;
  const keep = (given: ModelFacts, rows: number) => {
    facts ??= given;
    done += rows;
  };
  return {
    rowsToTake: () => takeable(parts).reduce((sum, { waiting }) => sum + waiting.size, 0),
    isThrough: () => parts.every(({ open }) => open.size === 0),
    rowsDone: () => done,
    facts: () => facts,
    take(count) {
      const whole = count === 1 && parts.every(({ waiting, open }) => waiting.size === open.size);
      const from = whole ? parts : takeable(parts);
      const cut = new Map(from.map((part) => [part, cutEvenly(part, count)] as const));
      for (const { waiting } of from) waiting.clear();
      return Array.from({ length: count }, (_, n) =>
        newPiece(
          job,
          parts.map((part) => [part, cut.get(part)?.[n] ?? []]),
          keep,
        ),
      );
    },
  };
}

function newPart(job: ScoringJob): Part {
  const { prompts, sharing = sharedBeginning(prompts) } = job;
  return {
    job: { ...job, sharing },
    rotated: prompts.some(({ rotations }) => rotations !== undefined),
    waiting: new Map(prompts.entries()),
    open: new Set(prompts.map(({ id }) => id)),
  };
}

function takeable(parts: readonly Part[]): Part[] {
  const plainLeft = parts.some(({ rotated, open }) => !rotated && open.size > 0);
  return parts.filter(({ rotated }) => !(rotated && plainLeft));
}

type Rows = readonly (readonly [place: number, prompt: ExamplePrompt])[];

/** Neighbours stay together: they often begin alike. */
function cutEvenly({ waiting }: Part, count: number): Rows[] {
  const rows = [...waiting].sort(([a], [b]) => a - b);
  const total = rows.reduce((sum, [, prompt]) => sum + prompt.text.length, 0);
  const pieces: (readonly [number, ExamplePrompt])[][] = Array.from({ length: count }, () => []);
  let before = 0;
  for (const row of rows) {
    const piece = Math.min(count - 1, Math.floor((before / Math.max(1, total)) * count));
    pieces[piece]?.push(row);
    before += row[1].text.length;
  }
  return pieces;
}

type Keep = (facts: ModelFacts, rows: number) => void;

function newPiece(job: ModelJob, shares: readonly (readonly [Part, Rows])[], keep: Keep): WorkPiece {
  const held = shares.map(([part, rows]) => ({ part, left: new Map(rows.map((row) => [row[1].id, row] as const)) }));
  const count = () => held.reduce((sum, { left }) => sum + left.size, 0);
  const total = count();
  const jobs = held.map(({ part, left }): ScoringJob => {
    const { onRows, onReplies } = part.job;
    const note =
      <Row extends { readonly id: string }>(give: (rows: readonly Row[], facts: ModelFacts) => Promise<void>) =>
      async (rows: readonly Row[], facts: ModelFacts) => {
        await give(rows, facts);
        for (const { id } of rows) {
          left.delete(id);
          part.open.delete(id);
        }
        keep(facts, rows.length);
      };
    const prompts = [...left.values()].map(([, prompt]) => prompt);
    return { ...part.job, prompts, onRows: note(onRows), ...(onReplies && { onReplies: note(onReplies) }) };
  });
  return {
    job: { ...job, jobs: jobs.filter(({ prompts }) => prompts.length > 0 || total === 0) },
    rows: () => total,
    rowsLeft: count,
    giveBack() {
      for (const { part, left } of held) {
        for (const [place, prompt] of left.values()) part.waiting.set(place, prompt);
        left.clear();
      }
    },
  };
}
