import type { ComparisonDocument } from '../../report/compare/comparison-document.js';
import type { TextTable } from '../../report/compare/comparison-table.js';
import { wrapWords } from '../../report/text/plain-text.js';
import { textTable } from '../terminal/text-table.js';

/** Columns that a narrow terminal goes without, the first one first. */
const LEAST = ['references', 'seeds', 'examples', 'coverage %', 'accuracy %', 'temperature'];

/**
 * A comparison for reading in so many columns; every line may hold text of files and is made printable by the caller.
 * Where the rows do not fit, columns are left out and named.
 */
export function describeComparison(document: ComparisonDocument, width: number): string[] {
  const { sides, headline, notes, hidden, macro, onlyIn, inputs, legend } = document;
  const wrapped = (lines: readonly string[]) => lines.flatMap((line) => wrapWords(line, width));
  const { table: rows, left } = fitted(document.rows, width);
  return [
    ...wrapped([...sides, '', headline, ...notes]),
    ...table('', rows),
    ...wrapped([
      ...(hidden === null ? [] : [hidden]),
      ...(left.length === 0 ? [] : [`No room for: ${left.join(', ')}; --format markdown and --json have all columns.`]),
      ...(rows.rows.length === 0 ? [] : [legend]),
    ]),
    ...section('', onlyIn),
    ...section(
      'inputs that differ',
      inputs.map((text, n) => `  ${String(n + 1).padStart(2)}  ${text}`),
    ),
    ...table('mean over the targets of both', macro),
  ];
}

function fitted(whole: TextTable, width: number): { table: TextTable; left: string[] } {
  const left: string[] = [];
  let table = whole;
  for (const name of LEAST) {
    const at = table.head.indexOf(name);
    if (at < 0) continue;
    if (textTable(table.head, table.rows).every((line) => line.length <= width)) break;
    left.push(name);
    table = { head: table.head.toSpliced(at, 1), rows: table.rows.map((row) => row.toSpliced(at, 1)) };
  }
  return { table, left };
}

function table(title: string, { head, rows }: TextTable): string[] {
  return rows.length === 0 ? [] : section(title, textTable(head, rows));
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...(title === '' ? [] : [title]), ...lines];
}
