import { getHeapStatistics } from 'node:v8';

/**
 * Bytes that a binary table may unpack to where it is in memory as a whole, or a part of it that is; a few kilobytes
 * can claim any number.
 */
export const MOST_TABLE_BYTES = Math.min(2 ** 30, getHeapStatistics().heap_size_limit);
