import type { Fault } from '../errors/supportcal-error.js';
import type { Decoder } from './binary/decoder.js';
import type { WrittenCsv } from './csv/csv-faults.js';
import type { FaultList } from './row/fault-list.js';
import type { Place } from './row/fault-places.js';
import type { RowBatches, SourceFile } from './row/source-row.js';

/** What is said of a file beside its format; each format looks at what concerns it. */
export interface ReadOptions extends WrittenCsv {
  /** Takes what the json module of Python writes for floats that JSON does not have: NaN, Infinity and -Infinity. */
  readonly allowNonFinite?: boolean;
  /** Where in the object of a JSON file its rows are; absent: the file is the list of them. Of an archive, a folder. */
  readonly rows?: string | undefined;
  readonly layout?: JsonLayout | undefined;
}

/** How a JSON file lays out its rows: one after the other, field by field, or under a key each. */
export type JsonLayout = 'rows' | 'columns' | 'keyed';

/** A format in which files hold rows. Everything that depends on the format of a file is asked of this record. */
export interface Format<Name extends string = string> {
  /** The name under `format:` in the YAML of a data set. */
  readonly name: Name;
  /** The endings of its file names, without the dot; a `.gz` after them is taken off before. */
  readonly endings: readonly string[];
  /** The beginning of a file whose ending names no format; absent where the first bytes tell nothing. */
  readonly magic?: RegExp;
  /** Another format that a file with one of these endings has, by how its text begins. */
  readonly butReads?: (beginning: string) => Format | undefined;
  /** The separator of the cells of a line; absent where lines have no cells. */
  readonly delimiter?: string;
  /** Whether all rows have the same columns; otherwise each row brings its own names of fields. */
  readonly hasColumns: boolean;
  /** Whether a file of this format that a hub repository names after a split holds the rows of that split. */
  readonly holdsSplits: boolean;
  readonly rows: TextRows | BinaryRows;
}

/** Rows of a text format: each has a line, and they are read in the thread that asks for them. */
export interface TextRows {
  readonly kind: 'text';
  readonly read: (file: SourceFile, faults: FaultList, options: ReadOptions) => RowBatches;
  /**
   * Line and column of the value that each fault is about, which is looked up in the file again. A fault for which
   * nothing comes has the beginning of its line as its place; without this function, all of them do.
   *
   * @param faults faults of this one file, each with a line
   */
  readonly placesOf?: (
    faults: readonly Fault[],
    file: SourceFile,
    options: ReadOptions,
  ) => AsyncIterable<readonly [Fault, Place]>;
}

/** Rows of a binary table: a changed byte can send a decoder anywhere, so that it runs in a thread with limits. */
export interface BinaryRows {
  readonly kind: 'binary';
  /** Loads what decodes a file: the thread does so before the time for its first rows runs. */
  readonly loadDecoder: () => Promise<Decoder>;
  /** Names of the classes 0, 1, ... by field, where the file carries them. The rows must have been read before. */
  readonly classNames?: (file: SourceFile) => Promise<ReadonlyMap<string, readonly string[]>>;
}
