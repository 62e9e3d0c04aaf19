import path from 'node:path';
import type { DatasetSourceYaml } from '../../config/source-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
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
 * The format by file ending, or by the first bytes where that tells none. JSON Lines come under any name: a `.json` file
 * that opens with an object instead of an array, and a `.txt` file whose first line is a JSON object, are read line by line.
 */
export async function formatOf(file: SourceFile): Promise<SourceFormat> {
  const packed = /\.gz$/i.test(file.path);
  const ending = path
    .extname(packed ? file.path.slice(0, -3) : file.path)
    .slice(1)
    .toLowerCase();
  const format = ENDINGS[ending] ?? (await formatByContent(file));
  if (format === undefined) {
    const message = `the ending ".${ending}" does not tell the format; write \`format:\` (jsonl, json, csv, tsv, parquet, arrow, feather or text)`;
    throw new SupportCalError('bad-input', { file: file.shown, message });
  }
  if (format === 'json') return /^\ufeff?\s*\{/.test(await beginning(file)) ? 'jsonl' : 'json';
  return format === 'text' && isJsonLine(await beginning(file)) ? 'jsonl' : format;
}

async function formatByContent(file: SourceFile): Promise<SourceFormat | undefined> {
  const text = await beginning(file);
  if (text.startsWith('PAR1')) return 'parquet';
  if (text.startsWith('ARROW1')) return 'arrow';
  return isJsonLine(text) ? 'jsonl' : /^\ufeff?\s*\[\s*\{\s*"/.test(text) ? 'json' : undefined;
}

/** Whether the first line is an object, as far as its beginning shows. */
function isJsonLine(text: string): boolean {
  return /^\ufeff?\s*\{\s*"([^"\\]|\\.)*"\s*:/.test(text);
}

async function beginning(file: SourceFile): Promise<string> {
  try {
    for await (const chunk of readChunks(file)) return chunk.toString('utf8', 0, 1024);
  } catch (error) {
    // Whatever is wrong with the file is told by the reader of its rows.
    if (!(error instanceof SupportCalError)) throw error;
  }
  return '';
}
