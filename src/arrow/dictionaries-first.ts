import { messageAt } from './check-message.js';
import { type FooterBlock, footerBlocks } from './footer-blocks.js';

/** Messages begin at multiples of this. */
const ALIGNMENT = 64;
const FILE_HEAD = 8;

/**
 * An Arrow file whose dictionaries lie in front of its rows. The format leaves their place to the writer, and Polars
 * puts them behind; the decoder takes for a batch only those in front of it.
 *
 * @param bytes of a file whose blocks were checked
 */
export function dictionariesFirst(bytes: Uint8Array, footerStart: number): Uint8Array {
  const { dictionaries, batches } = footerBlocks(bytes, footerStart);
  const firstBatch = Math.min(...batches.map(({ start }) => start));
  if (dictionaries.every(({ start }) => start < firstBatch)) return bytes;
  const messages = dictionaries.map(({ start }) =>
    bytes.subarray(start, messageAt(bytes, start, footerStart)?.end ?? start),
  );
  const places = placesOf(messages);
  const shift = (places.at(-1) ?? FILE_HEAD) - FILE_HEAD;
  const moved = new Uint8Array(bytes.length + shift);
  moved.set(bytes.subarray(0, FILE_HEAD));
  moved.set(bytes.subarray(FILE_HEAD), FILE_HEAD + shift);
  for (const [n, message] of messages.entries()) moved.set(message, places[n]);
  const view = new DataView(moved.buffer);
  const write = ({ entry }: FooterBlock, start: number) => view.setBigInt64(entry + shift, BigInt(start), true);
  for (const [n, block] of dictionaries.entries()) write(block, places[n] ?? FILE_HEAD);
  for (const block of batches) write(block, block.start + shift);
  return moved;
}

/** Where each message begins in the new file, and where the old one goes on behind them. */
function placesOf(messages: readonly Uint8Array[]): number[] {
  const places = [FILE_HEAD];
  for (const { length } of messages) {
    const end = (places.at(-1) ?? FILE_HEAD) + length;
    places.push(FILE_HEAD + Math.ceil((end - FILE_HEAD) / ALIGNMENT) * ALIGNMENT);
  }
  return places;
}
