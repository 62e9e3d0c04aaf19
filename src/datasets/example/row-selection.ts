/** A step by which the YAML or a flag chooses among the rows of a source. */
export interface RowSelection {
  readonly by: 'source.filter' | 'source.limit' | 'source.sample' | '--limit';
  readonly kept: number;
  /** Rows that the step chose from; null: a source is not read on when its limit is reached. */
  readonly of: number | null;
}

/** `2,816 of 4,183 rows kept by source.filter`. */
export function selectionText({ by, kept, of }: RowSelection): string {
  const rows = kept.toLocaleString('en-US');
  if (of === null) return `the first ${rows} rows by ${by}; what follows them was not read`;
  return `${rows} of ${of.toLocaleString('en-US')} rows kept by ${by}`;
}
