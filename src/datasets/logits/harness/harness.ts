import type { SeenHashes } from '../../../contract/seen-hashes.js';
import type { Fault } from '../../../errors/supportcal-error.js';
import type { RowFile } from '../../../formats/read-rows.js';
import type { SourceFile, SourceRow } from '../../../formats/row/source-row.js';

/** How the log-probabilities of whole texts become scores, named as in `scoring.normalize` of a data set. */
export const COUNTINGS = ['sum', 'mean-token', 'per-char', 'pmi'] as const;

export type Counting = (typeof COUNTINGS)[number];

/** A harness whose logs of single samples can be read. Everything that depends on it is asked of this record. */
export interface Harness<Name extends string = string> {
  /** The name after `--format`. */
  readonly name: Name;
  /** Whether the scores are of whole texts of options, or of the labels that a prompt shows before them. */
  readonly scores: 'texts' | 'labels';
  /** How its numbers may be counted; what a log of it lacks for the others is no fault of a single row. */
  readonly countings: readonly Counting[];
  /** How its log files are called, in a few words. */
  readonly files: string;
  /** What a log file of samples is of, by its path (with "/"); null: the path is of no such file. */
  readonly nameParts: (file: string) => LogName | null;
  /** How the rows of a file are read. */
  readonly rowFile: (file: SourceFile) => RowFile;
  /** A reader of one file, which may remember what came before. */
  readonly reader: (settings: LogSettings) => LogReader;
}

/** What the path of a log file says. */
export interface LogName {
  readonly task: string;
  /** The model that the log is of, where the path says it. */
  readonly model?: string | undefined;
  /** When it was written, as text whose order is the order of time. */
  readonly written: string;
}

/** What the user says of a log. */
export interface LogSettings {
  /** The filter of lm-eval whose rows are taken; default: that of the first row. */
  readonly filter?: string | undefined;
  /** What a target is that could be both the number (from 0) and the text of an option. */
  readonly labelAs?: 'index' | 'text' | undefined;
}

export interface LogReader {
  readonly read: (row: SourceRow) => LogReading;
  /** What is wrong with what stood last, of a log in which several entries make one row. */
  readonly rest?: () => readonly Fault[];
  /** What was taken and what was not, as sentences, once all rows were read. */
  readonly notes: () => readonly string[];
}

/** A row, a row that is not taken by intent, or what is wrong with it. Faults lack file, line and number of the row. */
export type LogReading =
  | { readonly kind: 'row'; readonly row: LogRow }
  | { readonly kind: 'left-out' }
  | { readonly kind: 'wrong'; readonly faults: readonly Fault[] };

/** One question as a model answered it. */
export interface LogRow {
  readonly id: string;
  /** The scored texts, in the order of the scores. */
  readonly options: readonly string[];
  /** Log-probability of each text after the prompt; NaN where the log has none. */
  readonly scores: readonly number[];
  /** Log-probability of each text without a prompt; null: the log does not have them. */
  readonly unconditional: readonly number[] | null;
  /** Log-probability of each text divided by its tokens; null: the log does not say it. */
  readonly means: readonly number[] | null;
  /** From 0; null: none, or several. */
  readonly label: number | null;
  readonly hashes: SeenHashes;
  /** Why some score is NaN, where the log shows it. */
  readonly absent?: string | undefined;
}
