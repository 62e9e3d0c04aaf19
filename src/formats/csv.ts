import { cellPlaces } from './csv/cell-places.js';
import type { CsvSettings } from './csv/csv-faults.js';
import type { Format, ReadOptions } from './format.js';
import type { RowBatches } from './row/source-row.js';

/** Comma separated values. */
export const csv = separated('csv', ',');

/** Tab separated values. */
export const tsv = separated('tsv', '\t');

function separated<const Name extends string>(name: Name, delimiter: string) {
  const settings = (options: ReadOptions): CsvSettings => ({
    delimiter: options.delimiter ?? delimiter,
    header: options.header,
    quote: options.quote,
  });
  return {
    name,
    endings: [name],
    delimiter,
    hasColumns: true,
    holdsSplits: true,
    rows: {
      kind: 'text',
      read: (file, faults, options) =>
        whenAsked(async () => (await import('./csv/read-csv.js')).readCsv(file, faults, settings(options))),
      placesOf: (faults, file, options) => cellPlaces(faults, file, settings(options)),
    },
  } as const satisfies Format<Name>;
}

/** The parser takes a good part of a cached run to import, so that only a run with a csv or tsv file loads it. */
async function* whenAsked(open: () => Promise<RowBatches>): RowBatches {
  yield* await open();
}
