/** Ranges of the rows of each entry that a shard scores, by entry name; undefined: all rows of the entry. */
export type ShardRows = ReadonlyMap<string, ReadonlySet<number> | undefined>;
