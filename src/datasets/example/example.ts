import type { RowSelection } from './row-selection.js';

/** One question of a data set after field mapping. */
export interface Example {
  /** Exact string, unique in the data set. */
  readonly id: string;
  /** The row's scalar fields as text, for the prompt template; data is never code. */
  readonly fields: Readonly<Record<string, string>>;
  /** K option texts, K >= 2. */
  readonly options: readonly string[];
  /** 0-based index into `options`; null when the row is unlabelled. */
  readonly label: number | null;
  /** sha256 over fields and options: rows of equal content are copies of each other. */
  readonly contentHash: string;
  /** Equal for near copies, see `nearHash`; absent: only rows of equal content are copies. */
  readonly nearHash?: string;
  /** Examples of one group stay on one side of a split; absent or null: in none. */
  readonly group?: string | null;
}

/** A row that was left out on purpose, with the reason that the report shows. */
export interface LeftOutRow {
  readonly id: string;
  readonly reason: string;
}

/** A data set in memory. Examples stand in id order (code units), whatever the order of the file. */
export interface Dataset {
  readonly id: string;
  readonly title: string;
  readonly examples: readonly Example[];
  /** Solved examples that stand before every question, in their order; none of them is among `examples`. */
  readonly shots: readonly Example[];
  readonly leftOut: readonly LeftOutRow[];
  /** The steps that chose among the rows of the source, in their order; absent where all rows were taken. */
  readonly selection?: readonly RowSelection[];
  /** Things a user should look at (an option that is never the answer, copies, ...). */
  readonly warnings: readonly string[];
  /** What makes it doubtful that the fields mean what the YAML says. */
  readonly doubts?: readonly string[];
  /** Named rules that chose or changed rows (order of options, sample, label base), with seeds and generators. */
  readonly rules: readonly string[];
  /** Where rows from the hub are from: repository, commit, files and their hashes. */
  readonly origin: readonly string[];
  /** sha256 over ids, contents, labels and rules: a table made from other rows has another hash. */
  readonly hash: string;
}
