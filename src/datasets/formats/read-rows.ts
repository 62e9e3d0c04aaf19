import type { CsvSettings } from './csv-faults.js';
import { decodeInThread } from './decode-in-thread.js';
import type { FaultList } from './fault-list.js';
import type { WrittenCsv } from './read-csv.js';
import { readJson } from './read-json.js';
import { type JsonOptions, readJsonl } from './read-jsonl.js';
import { readPairedText } from './read-paired-text.js';
import type { SourceFormat } from './source-format.js';
import type { RowBatches, SourceFile } from './source-row.js';

/** The rows of one file in a given format. */
export function readRows(
  file: SourceFile,
  format: SourceFormat,
  faults: FaultList,
  options: JsonOptions & WrittenCsv = {},
): RowBatches {
  switch (format) {
    case 'jsonl':
      return readJsonl(file, faults, options);
    case 'json':
      return readJson(file, faults, options);
    case 'csv':
    case 'tsv':
      return lazily(async () => (await import('./read-csv.js')).readCsv(file, faults, csvOf(format, options)));
    case 'parquet':
      return decodeInThread(file, 'parquet');
    case 'arrow':
    case 'feather':
      return decodeInThread(file, 'arrow');
    case 'text':
      return readPairedText(new Map([['text', file]]));
  }
}

/** How the cells of a csv or tsv file are read. */
export function csvOf(format: SourceFormat, { delimiter, header, quote }: WrittenCsv): CsvSettings {
  return { delimiter: delimiter ?? (format === 'tsv' ? '\t' : ','), header, quote };
}

/** Parsers of formats that a run does not use would take 150 ms to import, a good part of a cached run. */
async function* lazily(open: () => Promise<RowBatches>): RowBatches {
  yield* await open();
}
