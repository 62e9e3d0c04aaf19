import path from 'node:path';
import { SupportCalError } from '../errors/supportcal-error.js';
import type { Format } from './format.js';
import { FORMATS, formatNamed, namesOf } from './format-table.js';
import type { SourceFile } from './row/source-row.js';
import { firstBytes } from './text/first-bytes.js';
import { foreignContent } from './text/foreign-content.js';
import { beginsLikeGzip } from './text/gunzip.js';
import { readChunks } from './text/read-lines.js';

/**
 * The format by file ending, or by the first bytes where that tells none. JSON Lines come under any name: a `.json`
 * file that opens with an object instead of an array, and a `.txt` file whose first line is a JSON object, are read
 * line by line.
 */
export async function formatOf(file: SourceFile): Promise<Format> {
  if (file.stream !== undefined) return formatOfStream(file, await file.stream.beginning());
  const ending = endingOf(file.path);
  const named = FORMATS.find(({ endings }) => endings.includes(ending));
  if (named !== undefined) return named.butReads?.(await beginning(file)) ?? named;
  const bytes = await firstBytes(file);
  const foreign = bytes.length === 0 ? 'has no rows: it is empty' : foreignContent(bytes, 'rows');
  const text = await beginning(file);
  const shown = FORMATS.find(({ magic }) => magic?.test(text));
  if (shown !== undefined) return shown;
  const untold = ending === '' ? 'its name has no ending that tells' : `the ending ".${ending}" does not tell`;
  const message = foreign ?? `${untold} the format; write \`format:\` (${namesOf(FORMATS)})`;
  throw new SupportCalError('bad-input', { file: file.shown, message });
}

/** JSON Lines, a JSON array, else CSV, or TSV where the first line has a tab; what is packed is JSON Lines. */
function formatOfStream(file: SourceFile, beginning: Buffer): Format {
  const text = beginning.toString('utf8', 0, 1024);
  if (/^(PAR1|ARROW1)/.test(text)) {
    const message = 'is a binary table, which must be a file; write it to one, or send JSON Lines';
    throw new SupportCalError('bad-input', { file: file.shown, message });
  }
  if (text === '' || beginsLikeGzip(beginning) || /^\ufeff?\s*\{/.test(text)) return formatNamed('jsonl');
  if (/^\ufeff?\s*\[/.test(text)) return formatNamed('json');
  return formatNamed(/^[^\n]*\t/.test(text) ? 'tsv' : 'csv');
}

/** The ending of a file name in small letters, without its dot and without the `.gz` of a packed file. */
function endingOf(file: string): string {
  const unpacked = file.replace(/\.gz$/i, '');
  return path.extname(unpacked).slice(1).toLowerCase();
}

/** The first characters of a file, unpacked; none where it cannot be read, which the reader of its rows then tells. */
async function beginning(file: SourceFile): Promise<string> {
  try {
    for await (const chunk of readChunks(file)) return chunk.toString('utf8', 0, 1024);
  } catch (error) {
    if (!(error instanceof SupportCalError)) throw error;
  }
  return '';
}
