import type { Format } from './format.js';

/** Apache Parquet. Its decoder is loaded when a file is read. */
export const parquet = {
  name: 'parquet',
  endings: ['parquet'],
  magic: /^PAR1/,
  hasColumns: true,
  holdsSplits: true,
  rows: {
    kind: 'binary',
    loadDecoder: async () => (await import('./binary/read-parquet.js')).readParquet,
    classNames: async (file) => (await import('./binary/read-class-names.js')).readClassNames(file),
  },
} as const satisfies Format;
