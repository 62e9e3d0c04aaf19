import { escapeMarkdown, markdownTable } from '../markdown/escape-markdown.js';
import type { ComparisonDocument } from './comparison-document.js';
import type { TextTable } from './comparison-table.js';

/** The comparison as GitHub Markdown, for a comment under a change; text from data shows literally. */
export function comparisonMarkdown(document: ComparisonDocument): string {
  const { sides, headline, notes, rows, hidden, macro, onlyIn, inputs, legend } = document;
  const list = (items: readonly string[], mark: (n: number) => string) =>
    items.length === 0 ? [] : [items.map((item, n) => `${mark(n)} ${escapeMarkdown(item)}`).join('\n')];
  const blocks = [
    '### What changed between two runs',
    ...list(sides, () => '-'),
    `**${escapeMarkdown(headline)}**`,
    ...notes.map(escapeMarkdown),
    ...table(rows),
    ...(hidden === null ? [] : [escapeMarkdown(hidden)]),
    ...(rows.rows.length === 0 ? [] : [escapeMarkdown(legend)]),
    ...list(onlyIn, () => '-'),
    ...(inputs.length === 0 ? [] : ['#### Inputs that differ', ...list(inputs, (n) => `${n + 1}.`)]),
    ...(macro.rows.length === 0 ? [] : ['#### Mean over the targets of both', ...table(macro)]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function table({ head, rows }: TextTable): string[] {
  if (rows.length === 0) return [];
  return [
    markdownTable(
      head,
      rows.map((row) => row.map(escapeMarkdown)),
      'text',
    ),
  ];
}
