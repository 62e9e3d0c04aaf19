import type { DatasetSourceYaml } from '../../config/source-schema.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { WrittenCsv } from '../../formats/csv/csv-faults.js';
import { formatOf } from '../../formats/format-of.js';
import { readRows } from '../../formats/read-rows.js';
import { FaultList } from '../../formats/row/fault-list.js';
import type { RowBatches, SourceFile } from '../../formats/row/source-row.js';
import { readLines } from '../../formats/text/read-lines.js';
import { eachRow } from '../rows/each-row.js';

export interface ProposedCsv {
  readonly settings: Pick<DatasetSourceYaml, 'delimiter' | 'header' | 'quote'>;
  readonly notes: readonly string[];
}

const SAMPLE = 1_000;
/** Names that columns of questions have; a first line with one of them is a header. */
const NAMES =
  /^(_?id|q?uid|idx|index|nr|question|problem|query|text|sentence|options?|choices?|answers?|label|correct|cop|target|key)/i;

/**
 * How a csv or tsv file is to be read: its separator, whether its quotes are text, and whether its first line is a row
 * already. Nothing for files of other formats.
 *
 * @param path from the working directory
 */
export async function proposeCsv(path: string): Promise<ProposedCsv> {
  const file = { path, shown: path };
  const format = await formatOf(file).catch(() => null);
  if (format?.delimiter === undefined) return { settings: {}, notes: [] };
  const separator = await separatorOf(file, format.delimiter);
  const read = (more: WrittenCsv, faults: FaultList) =>
    readRows({ file, format, options: { ...separator, ...more } }, faults);
  const isFaulty = (more: WrittenCsv) => hasFaults((faults) => read(more, faults));
  const quote = (await isFaulty({})) && !(await isFaulty({ quote: 'none' }));
  const settings = { ...separator, ...(quote && { quote: 'none' as const }) };
  const notes = quote ? ['quotes of the file are text: they open no quoted cell'] : [];
  const lines: string[][] = [];
  const rows = read({ ...settings, header: 'numbered' }, new FaultList());
  await eachRow(rows, new FaultList(), ({ values }) => lines.push(Object.values(values) as string[]) < SAMPLE);
  const header = headerFor(lines);
  if (header === null) return { settings, notes };
  return {
    settings: { ...settings, header },
    notes: [...notes, 'the first line is a row like the others, so the names of the columns in `header` are ours'],
  };
}

/** A separator other than that of the format, where the first line shows that it is the one. */
async function separatorOf(file: SourceFile, usual: string): Promise<{ delimiter?: string }> {
  let line = '';
  for await (const { lines } of readLines(file)) {
    line = lines[0] ?? '';
    break;
  }
  const count = (separator: string) => line.split(separator).length;
  if (count(usual) > 1) return {};
  const [delimiter = usual] = [';', '\t', '|', ','].sort((a, b) => count(b) - count(a));
  return count(delimiter) > 1 ? { delimiter } : {};
}

async function hasFaults(open: (faults: FaultList) => RowBatches): Promise<boolean> {
  const faults = new FaultList();
  try {
    await eachRow(open(faults), faults, () => faults.count === 0);
  } catch (error) {
    if (!(error instanceof SupportCalError) || error.code === 'interrupted') throw error;
    return true;
  }
  return faults.count > 0;
}

/** Names for the columns of a file whose first line is a row; null where it is a header, as far as one can see. */
function headerFor(lines: readonly (readonly string[])[]): string[] | null {
  const [first, ...rest] = lines;
  if (first === undefined || rest.length === 0 || first.length < 3) return null;
  if (first.some((cell) => NAMES.test(cell.trim()) && cell.length < 30)) return null;
  const columns = first.map((_, n) => rest.map((line) => line[n]?.trim() ?? ''));
  const isKey = (cell: string) => /^([a-jA-J]|\d)$/.test(cell);
  const keys = first.flatMap((cell, n) => (columns[n]?.every(isKey) && isKey(cell.trim()) ? [n] : []));
  const key = keys.at(-1);
  if (key === undefined) return null;
  const lengths = first.map((cell, n) => (columns[n] ?? []).reduce((sum, each) => sum + each.length, cell.length));
  const length = (n: number) => lengths[n] ?? 0;
  const others = first.map((_, n) => n).filter((n) => n !== key);
  const question = others.reduce((best, n) => (length(n) > length(best) ? n : best));
  const options = others.filter((n) => n !== question);
  if (options.length > 26) return null;
  return first.map((_, n) =>
    n === key ? 'answer' : n === question ? 'question' : String.fromCharCode(65 + options.indexOf(n)),
  );
}
