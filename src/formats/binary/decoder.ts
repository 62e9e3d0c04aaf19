import type { SourceFile } from '../row/source-row.js';
import type { ColumnBatch } from './column-batch.js';

/** Work that a decoder has found to lie before it. */
export interface DecodeWork {
  /** Rows times columns. */
  readonly cells: number;
  /** Bytes as they are once unpacked. */
  readonly bytes: number;
}

/**
 * Decodes a binary table batch by batch.
 *
 * @param expect hears of the work that the next batch turns out to be, before it is done
 */
export type Decoder = (file: SourceFile, expect: (work: DecodeWork) => void) => AsyncGenerator<ColumnBatch>;
