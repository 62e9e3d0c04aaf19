import { Message } from 'apache-arrow';

export const CODECS = ['lz4', 'zstd'] as const;

/** Codec of the bodies of Arrow data. */
export type Codec = (typeof CODECS)[number];

const FOREIGN = 'it is not Arrow data';

/** A message of Arrow data without its body. */
export interface CheckedMessage {
  readonly message: Message;
  readonly body: Uint8Array;
  /** Where its body ends, which is where the next message may begin. */
  readonly end: number;
}

/**
 * The message at `start`, null where an end mark stands there.
 *
 * @param end the message lies before it
 * @throws Error with a plain reason: the message is cut, or no message
 */
export function messageAt(bytes: Uint8Array, start: number, end: number): CheckedMessage | null {
  if (start + 4 > end) throw new Error('it is cut: the end-of-stream mark is missing');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = start + 4;
  let length = view.getInt32(start, true);
  if (length === -1) {
    if (position + 4 > end) throw new Error('it is cut inside a message');
    length = view.getInt32(position, true);
    position += 4;
  }
  if (length === 0) return null;
  if (length < 0 || position + length > end) throw new Error(start === 0 ? FOREIGN : 'it is cut inside a message');
  const message = decodeMessage(bytes.subarray(position, position + length));
  position += length;
  if (message.bodyLength < 0 || position + message.bodyLength > end) throw new Error('it is cut inside a message');
  const bodyEnd = position + message.bodyLength;
  return { message, body: bytes.subarray(position, bodyEnd), end: bodyEnd };
}

/** What a message of rows, or of a dictionary, says of itself. */
export type BatchHeader = Pick<ReturnType<typeof batchOf>, 'length' | 'nodes' | 'buffers' | 'compression'>;

/**
 * The header of a batch of rows or of a dictionary, whose buffers and lengths its body can hold.
 *
 * @param unpacked to how many bytes the buffers of the batch unpack
 * @throws Error with a plain reason
 */
export function checkedBatch(message: Message, unpacked: (batch: BatchHeader) => number): BatchHeader {
  const batch = batchOf(message);
  for (const { offset, length } of batch.buffers) {
    if (offset < 0 || length < 0 || offset + length > message.bodyLength)
      throw new Error('a column reaches outside its message');
  }
  // Every value takes a bit of the body at least.
  const most = unpacked(batch) * 8;
  for (const { length } of [batch, ...batch.nodes]) {
    if (length < 0 || length > most) throw new Error('a column claims more rows than its message can hold');
  }
  return batch;
}

/** @returns null for bodies that are not compressed, or with a codec that no version of Arrow has */
export function codecOf({ compression }: BatchHeader): Codec | null {
  return compression === null ? null : (CODECS[compression.type] ?? null);
}

function batchOf(message: Message) {
  if (message.isRecordBatch()) return message.header();
  if (message.isDictionaryBatch()) return message.header().data;
  throw new Error('it holds a message of an unknown kind');
}

function decodeMessage(bytes: Uint8Array): Message {
  try {
    return Message.decode(bytes);
  } catch (cause) {
    throw new Error(FOREIGN, { cause });
  }
}
