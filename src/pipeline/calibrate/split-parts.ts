import { type SplitRuns, suiteOrder, type TargetJob } from './target-runs.js';

/** What a thread takes at a time: a split, or some of its methods. */
export interface SplitPart {
  /** Its place among the splits of the target. */
  readonly split: number;
  /** Methods of the suite; null: all of them. */
  readonly methods: readonly string[] | null;
}

/** Evaluated examples (examples x seeds x columns) of a target from which a split is worth dividing: about a second. */
const LEAST_DIVIDED = 10_000_000;

/**
 * The splits of a target as threads take them. Where so many examples are evaluated that a thread would wait long for
 * the last one, the splits that do not go round are divided by methods into as many parts as there are threads.
 */
export function splitParts(job: TargetJob, threads: number): SplitPart[] {
  const { splits, suite } = job;
  const divided = evaluatedExamples(job) < LEAST_DIVIDED ? 0 : splits.length % threads;
  return splits.flatMap((_, split): SplitPart[] => {
    if (split < splits.length - divided) return [{ split, methods: null }];
    const parts = Array.from({ length: threads }, (__, part) => suite.methods.filter((___, n) => n % threads === part));
    return parts.filter(({ length }) => length > 0).map((methods) => ({ split, methods }));
  });
}

/** What the parts of each split gave, as if it had been taken whole. */
export function joinParts(job: TargetJob, parts: readonly SplitPart[], done: readonly SplitRuns[]): SplitRuns[] {
  const placeOf = suiteOrder(job.suite);
  return job.splits.map((_, split) => {
    const [first, ...others] = parts.flatMap((part, n) => (part.split === split ? (done[n] ?? []) : []));
    if (first === undefined) throw new Error(`no thread has taken split ${split + 1}`);
    if (others.length === 0) return first;
    const all = [first, ...others];
    return {
      ownBase: first.ownBase,
      runs: all.flatMap(({ runs }) => runs).sort((a, b) => placeOf(a) - placeOf(b)),
      measured: all.flatMap(({ measured }) => measured).sort((a, b) => placeOf(a) - placeOf(b)),
    };
  });
}

/** Examples x seeds x columns. */
export function evaluatedExamples({ suite, aligned, combinationSizes, splits }: TargetJob): number {
  return aligned.labels.length * splits.length * (suite.methods.length + combinationSizes.length);
}
