import { SupportCalError } from '../../errors/supportcal-error.js';
import { readLines } from './read-lines.js';
import { type RowBatches, type RowValue, type SourceFile, setField } from './source-row.js';

/** Text files side by side: line n of each file is one field of row n. Text is untouched but for one `\r` at the end. */
export async function* readPairedText(files: ReadonlyMap<string, SourceFile>): RowBatches {
  const fields = [...files.keys()];
  const texts = await Promise.all([...files.values()].map(readAllLines));
  const counts = new Set(texts.map((lines) => lines.length));
  if (counts.size > 1) {
    const all = [...files.values()];
    const found = all.map((file, n) => `${file.shown} has ${texts[n]!.length} lines`).join(', ');
    const message = `paired text files must have equally many lines, but ${found}; this is the first one without a partner`;
    const line = Math.min(...counts) + 1;
    const { shown } = all[texts.findIndex((lines) => lines.length >= line)]!;
    throw new SupportCalError('bad-input', { file: shown, line, column: 1, message });
  }
  yield texts[0]!.map((_, n) => {
    const values: Record<string, RowValue> = {};
    fields.forEach((field, f) => {
      setField(values, field, texts[f]![n]!);
    });
    return { values, number: n + 1, line: n + 1 };
  });
}

async function readAllLines(file: SourceFile): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of readLines(file)) {
    for (const line of batch.lines) all.push(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
  return all;
}
