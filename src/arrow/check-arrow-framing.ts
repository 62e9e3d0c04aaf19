import { Message, type Schema } from 'apache-arrow';
import { checkRowCounts } from './check-row-counts.js';

/** What the messages of an Arrow file or stream add up to. */
export interface ArrowFraming {
  readonly format: 'file' | 'stream';
  /** Where each record batch message begins. */
  readonly batchStarts: readonly number[];
  readonly rowCount: number;
  /** Codec of the bodies, or null when nothing is compressed. */
  readonly codec: 'lz4' | 'zstd' | null;
}

const MAGIC = 'ARROW1';
const FEATHER_1_MAGIC = 'FEA1';
/** Magic and two bytes of padding in front; footer length and magic behind. */
const FILE_HEAD = 8;
const FILE_TAIL = 10;
/** More than this no codec gets out of one byte of real columns. */
const MAX_RATIO = 65_536;
/** Zeros between the end mark and the footer. */
const MOST_PADDING = 64;
const CODECS = ['lz4', 'zstd'] as const;

/**
 * Walks the message frames of Arrow IPC bytes (file or stream) before anything is decoded. apache-arrow reads a cut
 * stream as fewer rows without an error, and a file of some cut lengths as no rows at all.
 *
 * @throws Error with a plain reason when the bytes are cut, or are not Arrow.
 */
export function checkArrowFraming(bytes: Uint8Array): ArrowFraming {
  if (bytes.length === 0) throw new Error('the file is empty');
  if (textAt(bytes, 0, 4) === FEATHER_1_MAGIC) {
    throw new Error('this is the old first version of Feather; write it again as Feather 2 (Arrow IPC) or Parquet');
  }
  if (textAt(bytes, 0, MAGIC.length) !== MAGIC) return walkMessages(bytes, 0, bytes.length, 'stream');
  if (bytes.length < FILE_HEAD + FILE_TAIL || textAt(bytes, bytes.length - MAGIC.length, MAGIC.length) !== MAGIC) {
    throw new Error('the file is cut: its closing ARROW1 mark is missing');
  }
  const footerLength = viewOf(bytes).getInt32(bytes.length - FILE_TAIL, true);
  const footerStart = bytes.length - FILE_TAIL - footerLength;
  if (footerLength <= 0 || footerStart < FILE_HEAD) throw new Error('the length of the footer is impossible');
  return walkMessages(bytes, FILE_HEAD, footerStart, 'file');
}

function walkMessages(bytes: Uint8Array, start: number, end: number, format: ArrowFraming['format']): ArrowFraming {
  const view = viewOf(bytes);
  let position = start;
  let [rowCount, messages] = [0, 0];
  const batchStarts: number[] = [];
  let codec: ArrowFraming['codec'] = null;
  let schema: Schema | null = null;
  for (;;) {
    // The end mark of a file is optional, since the footer tells as well; a stream without one may have been cut.
    if (position === end && format === 'file') break;
    if (position + 4 > end) throw new Error('it is cut: the end-of-stream mark is missing');
    const messageStart = position;
    let length = view.getInt32(position, true);
    position += 4;
    if (length === -1) {
      if (position + 4 > end) throw new Error('it is cut inside a message');
      length = view.getInt32(position, true);
      position += 4;
    }
    if (length === 0) {
      checkEnd(bytes.subarray(position, end));
      break;
    }
    if (length < 0 || position + length > end)
      throw new Error(messages === 0 ? 'it is not Arrow data' : 'it is cut inside a message');
    const message = decodeMessage(bytes.subarray(position, position + length));
    position += length;
    if (message.bodyLength < 0 || position + message.bodyLength > end) throw new Error('it is cut inside a message');
    position += message.bodyLength;
    // Some writers leave the schema of a file to its footer.
    if (message.isSchema() ? messages > 0 : messages === 0 && format === 'stream') {
      throw new Error('its messages are not in the order of Arrow data');
    }
    if (message.isSchema()) schema = message.header();
    if (message.isRecordBatch() || message.isDictionaryBatch()) {
      const batch = message.isRecordBatch() ? message.header() : message.header().data;
      checkBuffers(batch.buffers, message.bodyLength);
      checkLengths([batch, ...batch.nodes], message.bodyLength * (batch.compression === null ? 1 : MAX_RATIO));
      checkRowCounts(batch, message.isRecordBatch() ? schema : null);
      if (batch.compression !== null) codec = CODECS[batch.compression.type] ?? null;
      if (message.isRecordBatch()) {
        batchStarts.push(messageStart);
        rowCount += message.header().length;
      }
    }
    if (!message.isSchema() && !message.isRecordBatch() && !message.isDictionaryBatch()) {
      throw new Error('it holds a message of an unknown kind');
    }
    messages++;
  }
  if (messages === 0 && format === 'stream') throw new Error('it holds no schema');
  return { format, batchStarts, rowCount, codec };
}

/** A marker that is no end loses the batches behind it, and so does a second stream put behind the first. */
function checkEnd(rest: Uint8Array): void {
  if (rest.length > MOST_PADDING || rest.some((byte) => byte !== 0)) {
    throw new Error(`${rest.length} bytes follow its end-of-stream mark; write its rows as one stream`);
  }
}

function checkBuffers(buffers: ReadonlyArray<{ offset: number; length: number }>, bodyLength: number): void {
  for (const { offset, length } of buffers) {
    if (offset < 0 || length < 0 || offset + length > bodyLength)
      throw new Error('a column reaches outside its message');
  }
}

/** Every value takes a bit of the body at least. */
function checkLengths(nodes: ReadonlyArray<{ readonly length: number }>, bodyBytes: number): void {
  for (const { length } of nodes) {
    if (length < 0 || length > bodyBytes * 8) throw new Error('a column claims more rows than its message can hold');
  }
}

function decodeMessage(bytes: Uint8Array): Message {
  try {
    return Message.decode(bytes);
  } catch (cause) {
    throw new Error('it is not Arrow data', { cause });
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function textAt(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}
