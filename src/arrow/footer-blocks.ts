import { flatTable, flatVector } from './flat-table.js';

/** A message that the footer of an Arrow file names: where it begins, and where the footer says so. */
export interface FooterBlock {
  readonly start: number;
  readonly entry: number;
}

export interface FooterBlocks {
  readonly dictionaries: readonly FooterBlock[];
  readonly batches: readonly FooterBlock[];
}

/** A block has 8 bytes of offset, 4 of metadata length, 4 of padding and 8 of body length. */
const BLOCK_BYTES = 24;
/** Numbers of the fields of a footer: 0 is the version, 1 the schema. */
const FIELDS = { dictionaries: 2, batches: 3 } as const;

/**
 * The blocks of the footer of an Arrow file, read without its schema, whose types may be unknown here.
 *
 * @throws Error with a plain reason where the footer is damaged
 */
export function footerBlocks(bytes: Uint8Array, footerStart: number): FooterBlocks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const footer = flatTable(view, footerStart);
    const named = (field: number): FooterBlock[] =>
      flatVector(view, footer.at(field), BLOCK_BYTES).map((entry) => {
        return { start: Number(view.getBigInt64(entry, true)), entry };
      });
    const blocks = { dictionaries: named(FIELDS.dictionaries), batches: named(FIELDS.batches) };
    const outside = [...blocks.dictionaries, ...blocks.batches].some(({ start }) => start < 8 || start >= footerStart);
    if (outside) throw new RangeError('a block lies outside the file');
    return blocks;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new Error(`its footer is damaged: ${cause.message}`, { cause });
  }
}
