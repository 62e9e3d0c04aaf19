import { SupportCalError } from '../errors/supportcal-error.js';
import type { Format } from './format.js';
import { JSON_LINE, jsonl } from './jsonl.js';
import { type RowBatches, type RowValue, type SourceFile, setField } from './row/source-row.js';
import { readLines } from './text/read-lines.js';

/** Plain text files, of which each line is one field; a file alone gives rows of one field "text". */
export const pairedText = {
  name: 'text',
  endings: ['txt'],
  butReads: (beginning) => (JSON_LINE.test(beginning) ? jsonl : undefined),
  hasColumns: true,
  holdsSplits: false,
  rows: { kind: 'text', read: (file) => readPairedText(new Map([['text', file]])) },
} as const satisfies Format;

/** A file with the name of the field that its lines are. */
interface TextColumn {
  readonly field: string;
  readonly file: SourceFile;
  readonly lines: readonly string[];
}

/**
 * Text files side by side: line n of each file is one field of row n. Text is untouched but for one `\r` at the end.
 */
export async function* readPairedText(files: ReadonlyMap<string, SourceFile>): RowBatches {
  const columns = await Promise.all(
    Array.from(files, async ([field, file]): Promise<TextColumn> => ({ field, file, lines: await readAllLines(file) })),
  );
  refuseUnequal(columns);
  yield (columns[0]?.lines ?? []).map((_, n) => {
    const values: Record<string, RowValue> = {};
    for (const { field, lines } of columns) setField(values, field, lines[n] ?? '');
    return { values, number: n + 1, line: n + 1 };
  });
}

function refuseUnequal(columns: readonly TextColumn[]): void {
  const fewest = Math.min(...columns.map(({ lines }) => lines.length));
  const longer = columns.find(({ lines }) => lines.length > fewest);
  if (longer === undefined) return;
  const found = columns.map(({ file, lines }) => `${file.shown} has ${lines.length} lines`).join(', ');
  const which = 'this is the first one without a partner';
  const message = `paired text files must have equally many lines, but ${found}; ${which}`;
  throw new SupportCalError('bad-input', { file: longer.file.shown, line: fewest + 1, column: 1, message });
}

async function readAllLines(file: SourceFile): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of readLines(file)) {
    for (const line of batch.lines) all.push(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
  return all;
}
