/** A table of what the statistics of a run say, as plain text for every page. */
export interface StatisticTable {
  readonly title: string;
  /** What it shows, before it. */
  readonly lead: string;
  /** The first column holds names, the others numbers. */
  readonly head: readonly string[];
  readonly rows: ReadonlyArray<readonly string[]>;
  /** What follows from it, after it. */
  readonly note: string | null;
}
