import type { ComparisonDocument } from '../report/compare/comparison-document.js';
import type { TextTable } from '../report/compare/comparison-table.js';
import { textTable } from './text-table.js';

/** A comparison for reading; every line may hold text of files and is made printable by the caller. */
export function describeComparison(document: ComparisonDocument): string[] {
  const { sides, headline, notes, rows, hidden, macro, onlyIn, inputs, legend } = document;
  return [
    ...sides,
    '',
    headline,
    ...notes,
    ...table('', rows),
    ...(hidden === null ? [] : [hidden]),
    ...(rows.rows.length === 0 ? [] : [legend]),
    ...section('', onlyIn),
    ...section(
      'inputs that differ',
      inputs.map((text, n) => `  ${String(n + 1).padStart(2)}  ${text}`),
    ),
    ...table('mean over the targets of both', macro),
  ];
}

function table(title: string, { head, rows }: TextTable): string[] {
  return rows.length === 0 ? [] : section(title, textTable(head, rows));
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', ...(title === '' ? [] : [title]), ...lines];
}
