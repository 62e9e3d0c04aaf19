import type { Share } from '../protocol/protocol.js';

/**
 * The order in which one of several children makes the chunks that all of them need, each of which takes those that
 * another has made by then. First the first one, which every child makes itself: what the tokenizer compares at the
 * start (`tokenizerByLines`) is then the same in all. Then its own part, forwards. Then the others from their ends,
 * backwards: a child that is slow, which goes forwards there, is met only where nothing is left to do.
 */
export function chunkOrder(chunks: number, { index, count }: Share): number[] {
  const [start, end] = [index, index + 1].map((n) => Math.floor((chunks * n) / count)) as [number, number];
  const own = Array.from({ length: end - start }, (_, n) => start + n);
  const others = Array.from({ length: chunks - own.length }, (_, n) => (start - 1 - n + chunks) % chunks);
  return chunks === 0 ? [] : [...new Set([0, ...own, ...others])];
}
