import path from 'node:path';
import type { DatasetSourceYaml } from '../config/source-schema.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { readChunks } from './read-lines.js';
import type { SourceFile } from './source-row.js';

export type SourceFormat = NonNullable<DatasetSourceYaml['format']>;

const ENDINGS: Readonly<Record<string, SourceFormat>> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'json',
  csv: 'csv',
  tsv: 'tsv',
  parquet: 'parquet',
  arrow: 'arrow',
  arrows: 'arrow',
  ipc: 'arrow',
  feather: 'feather',
  txt: 'text',
};

/**
 * The format by file ending. JSON Lines often carry the ending `.json`: a file that opens with an object instead of an
 * array is read line by line.
 */
export async function formatOf(file: SourceFile): Promise<SourceFormat> {
  const packed = /\.gz$/i.test(file.path);
  const ending = path
    .extname(packed ? file.path.slice(0, -3) : file.path)
    .slice(1)
    .toLowerCase();
  const format = ENDINGS[ending];
  if (format === undefined) {
    const message = `the ending ".${ending}" does not tell the format; write \`format:\` (jsonl, json, csv, tsv, parquet, arrow, feather or text)`;
    throw new SupportCalError('bad-input', { file: file.shown, message });
  }
  return format === 'json' && (await opensWithObject(file)) ? 'jsonl' : format;
}

async function opensWithObject(file: SourceFile): Promise<boolean> {
  try {
    for await (const chunk of readChunks(file)) return /^\ufeff?\s*\{/.test(chunk.toString('utf8', 0, 64));
  } catch (error) {
    // Whatever is wrong with the file is told by the reader of its rows.
    if (!(error instanceof SupportCalError)) throw error;
  }
  return false;
}
