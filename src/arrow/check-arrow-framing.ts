import type { Message, Schema } from 'apache-arrow';
import { type CheckedMessage, type Codec, checkedBatch, codecOf, messageAt } from './check-message.js';
import { checkRowCounts } from './check-row-counts.js';
import { footerBlocks } from './footer-blocks.js';
import { unpackedBudget } from './unpacked-budget.js';

/** What the messages of an Arrow file or stream add up to. */
export interface ArrowFraming {
  readonly format: 'file' | 'stream';
  /** Where each record batch message begins. */
  readonly batchStarts: readonly number[];
  readonly rowCount: number;
  /** Rows of each record batch. */
  readonly rowCounts: readonly number[];
  /** Codec of the bodies, or null when nothing is compressed. */
  readonly codec: Codec | null;
}

const MAGIC = 'ARROW1';
const FEATHER_1_MAGIC = 'FEA1';
/** Magic and two bytes of padding in front; footer length and magic behind. */
const FILE_HEAD = 8;
const FILE_TAIL = 10;
/** Zeros between the end mark and the footer, and what writers put between messages so that they begin aligned. */
const MOST_PADDING = 64;

/**
 * Walks the message frames of Arrow IPC bytes (file or stream) before anything is decoded. apache-arrow reads a cut
 * stream as fewer rows without an error, and a file of some cut lengths as no rows at all.
 *
 * @throws Error with a plain reason when the bytes are cut, or are not Arrow.
 */
export function checkArrowFraming(bytes: Uint8Array): ArrowFraming {
  const footerStart = footerStartOf(bytes);
  return footerStart === null
    ? walkMessages(bytes, { start: 0, end: bytes.length }, 'stream')
    : walkMessages(bytes, { start: FILE_HEAD, end: footerStart }, 'file');
}

/**
 * Checks the frames of bytes that another program wrote. The format of files leaves to the writer what stands between
 * their messages (Polars begins with a schema that has no frame), so that a file is what the blocks of its footer are.
 *
 * @param mostUnpacked bytes that the columns of the file may unpack to
 * @throws Error as checkArrowFraming; also when the footer leaves out messages, or columns unpack to more
 */
export function checkForeignFraming(bytes: Uint8Array, mostUnpacked = Infinity): ArrowFraming {
  const footerStart = footerStartOf(bytes);
  if (footerStart === null) return walkMessages(bytes, { start: 0, end: bytes.length }, 'stream', mostUnpacked);
  const { dictionaries, batches } = footerBlocks(bytes, footerStart);
  const batchStarts = new Set(batches.map(({ start }) => start));
  const sum = startingSum('file', mostUnpacked);
  const starts = [...dictionaries, ...batches].map(({ start }) => start).sort((a, b) => a - b);
  let end = schemaEnd(bytes, starts[0] ?? footerStart);
  for (const start of starts) {
    if (start < end) throw new Error('the blocks of its footer lie one over the other');
    checkGap(end, start);
    const found = messageAt(bytes, start, footerStart);
    if (found === null) throw new Error('its footer names a block in which no message is');
    if (found.message.isRecordBatch() !== batchStarts.has(start))
      throw new Error('its footer names a block in which another message is');
    sum.add(found, start);
    end = found.end;
  }
  checkGap(end, footerStart);
  return sum;
}

/** Where the footer of an Arrow file begins; null for a stream, which has none. */
export function footerStartOf(bytes: Uint8Array): number | null {
  if (bytes.length === 0) throw new Error('the file is empty');
  if (textAt(bytes, 0, 4) === FEATHER_1_MAGIC) {
    throw new Error('this is the old first version of Feather; write it again as Feather 2 (Arrow IPC) or Parquet');
  }
  if (textAt(bytes, 0, MAGIC.length) !== MAGIC) return null;
  if (bytes.length < FILE_HEAD + FILE_TAIL || textAt(bytes, bytes.length - MAGIC.length, MAGIC.length) !== MAGIC) {
    throw new Error('the file is cut: its closing ARROW1 mark is missing');
  }
  const footerLength = viewOf(bytes).getInt32(bytes.length - FILE_TAIL, true);
  const footerStart = bytes.length - FILE_TAIL - footerLength;
  if (footerLength <= 0 || footerStart < FILE_HEAD) throw new Error('the length of the footer is impossible');
  return footerStart;
}

function walkMessages(
  bytes: Uint8Array,
  { start, end }: { readonly start: number; readonly end: number },
  format: ArrowFraming['format'],
  mostUnpacked = Infinity,
): ArrowFraming {
  let position = start;
  let messages = 0;
  const sum = startingSum(format, mostUnpacked);
  for (;;) {
    // The end mark of a file is optional, since the footer tells as well; a stream without one may have been cut.
    if (position === end && format === 'file') break;
    const found = messageAt(bytes, position, end);
    if (found === null) {
      const marked = viewOf(bytes).getInt32(position, true) === -1 ? 8 : 4;
      checkEnd(bytes.subarray(position + marked, end));
      break;
    }
    // Some writers leave the schema of a file to its footer.
    if (found.message.isSchema() ? messages > 0 : messages === 0 && format === 'stream') {
      throw new Error('its messages are not in the order of Arrow data');
    }
    sum.add(found, position);
    position = found.end;
    messages++;
  }
  if (messages === 0 && format === 'stream') throw new Error('it holds no schema');
  return sum;
}

/** Adds up the messages of a file or stream, each of which is checked. */
function startingSum(format: ArrowFraming['format'], mostUnpacked: number) {
  const unpacked = unpackedBudget(mostUnpacked);
  let dictionaries = 0;
  let schema: Schema | null = null;
  const ids = new Set<number>();
  return {
    format,
    batchStarts: [] as number[],
    rowCounts: [] as number[],
    rowCount: 0,
    codec: null as Codec | null,
    add({ message, body }: CheckedMessage, start: number): void {
      if (message.isSchema()) {
        schema = knownSchema(message);
        return;
      }
      const rows = message.isRecordBatch();
      const what = rows ? `record batch ${this.batchStarts.length + 1}` : `dictionary ${++dictionaries}`;
      const batch = checkedBatch(message, (header) => unpacked(header, body, what));
      checkRowCounts(batch, rows ? schema : null);
      if (format === 'file') checkDictionary(message, ids);
      this.codec = codecOf(batch) ?? this.codec;
      if (!message.isRecordBatch()) return;
      this.batchStarts.push(start);
      this.rowCounts.push(batch.length);
      this.rowCount += batch.length;
    },
  };
}

/** The dictionaries of a file may lie in any order, so that none takes the place of another. */
function checkDictionary(message: Message, ids: Set<number>): void {
  if (!message.isDictionaryBatch()) return;
  const { id, isDelta } = message.header();
  if (!isDelta && ids.has(id)) throw new Error('it replaces a dictionary, which only a stream can');
  ids.add(id);
}

/** null where a column has a type that apache-arrow does not know; readers of other programs' files do. */
function knownSchema(message: Message): Schema | null {
  try {
    return message.isSchema() ? message.header() : null;
  } catch {
    return null;
  }
}

/** Where the schema in front of the blocks of a file ends, so that a batch behind it that no block names is noticed. */
function schemaEnd(bytes: Uint8Array, firstBlock: number): number {
  const framed = firstBlock >= FILE_HEAD + 4 && viewOf(bytes).getInt32(FILE_HEAD, true) === -1;
  const schema = framed ? messageAt(bytes, FILE_HEAD, firstBlock) : null;
  if (schema !== null && !schema.message.isSchema()) return FILE_HEAD;
  return schema === null ? firstBlock : schema.end;
}

/** Between the blocks that the footer names there is padding and the end mark, and no message that it leaves out. */
function checkGap(start: number, end: number): void {
  if (end - start > MOST_PADDING + 8) throw new Error('its footer does not list the batches that it holds');
}

/** A marker that is no end loses the batches behind it, and so does a second stream put behind the first. */
function checkEnd(rest: Uint8Array): void {
  if (rest.length > MOST_PADDING || rest.some((byte) => byte !== 0)) {
    throw new Error(`${rest.length} bytes follow its end-of-stream mark; write its rows as one stream`);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function textAt(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}
