/** Models that share files or content: they are fetched, scored and removed together. Sizes in bytes. */
export interface DiskTurn {
  readonly models: readonly string[];
  /** What is here of their downloads, broken ones included. */
  readonly onDisk: number;
  readonly toFetch: number;
  /** What stays of that after scoring, since another suite needs it or its hash is known from its bytes alone. */
  readonly keeps: number;
  /** Whether all scores are in the cache already. */
  readonly finished: boolean;
}

/**
 * The order that needs the least disk, and wastes no wait: what is finished, then what is here, then what a broken
 * download has begun, then the rest; the largest first among those that leave nothing, and last those that leave most.
 */
export function inDiskOrder<Turn extends DiskTurn>(turns: readonly Turn[]): Turn[] {
  const rank = (turn: Turn) =>
    turn.finished ? 0 : turn.toFetch === 0 ? 1 : turn.onDisk > 0 ? 2 : turn.keeps === 0 ? 3 : 4;
  const size = ({ onDisk, toFetch }: Turn) => onDisk + toFetch;
  return turns.toSorted((a, b) => rank(a) - rank(b) || size(b) - size(a));
}

/** The least budget with which every turn can be fetched: each after all before it were scored and removed. */
export function leastBudget(turns: readonly DiskTurn[]): number {
  let least = 0;
  let kept = 0;
  for (const [t, { toFetch, keeps }] of turns.entries()) {
    const waiting = turns.slice(t).reduce((sum, { onDisk }) => sum + onDisk, 0);
    if (toFetch > 0) least = Math.max(least, kept + waiting + toFetch);
    kept += keeps;
  }
  return least;
}

export interface DiskLimits {
  /** Bytes; Infinity: no limit. */
  readonly budget: number;
  /** Whether files are removed as soon as they are scored, not only when room is wanted. */
  readonly eager: boolean;
}

export interface DiskSchedule {
  /** Most bytes of downloads at a time. */
  readonly peak: number;
  readonly fetched: number;
  readonly seconds: number;
  /** In order: when the fetch of a turn begins and ends, and when it is scored. */
  readonly steps: ReadonlyArray<{ readonly turn: DiskTurn; readonly fetchedAt: number; readonly scoredAt: number }>;
}

/**
 * How a run goes in which one file is fetched at a time, one turn is scored at a time, and a fetch begins as soon as
 * there is room; null when the budget is below `leastBudget`.
 */
export function diskSchedule(
  turns: readonly DiskTurn[],
  { budget, eager }: DiskLimits,
  { bytesPerSecond, secondsOf }: { bytesPerSecond: number; secondsOf: (turn: DiskTurn) => number },
): DiskSchedule | null {
  const held = turns.map(({ onDisk }) => onDisk);
  const sum = () => held.reduce((all, bytes) => all + bytes, 0);
  const steps: { turn: DiskTurn; fetchedAt: number; scoredAt: number }[] = [];
  let peak = sum();
  let fetchedAt = 0;
  let scoredAt = 0;
  for (const [t, turn] of turns.entries()) {
    if (turn.toFetch > 0) {
      let start = fetchedAt;
      for (const [s, step] of steps.entries()) {
        const late = sum() + turn.toFetch > budget;
        if (!late && !(eager && step.scoredAt <= start)) continue;
        if (late) start = Math.max(start, step.scoredAt);
        held[s] = step.turn.keeps;
      }
      if (sum() + turn.toFetch > budget) return null;
      held[t] = turn.onDisk + turn.toFetch;
      peak = Math.max(peak, sum());
      fetchedAt = start + turn.toFetch / bytesPerSecond;
    }
    if (!turn.finished) scoredAt = Math.max(scoredAt, turn.toFetch > 0 ? fetchedAt : 0) + secondsOf(turn);
    steps.push({ turn, fetchedAt: turn.toFetch > 0 ? fetchedAt : 0, scoredAt: turn.finished ? 0 : scoredAt });
  }
  const fetched = turns.reduce((all, { toFetch }) => all + toFetch, 0);
  return { peak, fetched, seconds: scoredAt, steps };
}
