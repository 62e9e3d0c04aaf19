import type { Rank } from '../table/paper-table.js';
import { plainText } from '../text/plain-text.js';

/**
 * Text from data for use inside a line, list item or table cell of GitHub Markdown: it shows literally. Control
 * characters go, punctuation with a meaning is escaped, `&`, `<` and `>` become entities, and what would begin a
 * heading, list or link address is broken.
 */
export function escapeMarkdown(text: string): string {
  return plainText(text)
    .trim()
    .replace(/[\\`*_[\]|~$#!]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\b(https?|ftp):/gi, '$1\\:')
    .replace(/\bwww\./gi, (match) => `${match.slice(0, -1)}\\.`)
    .replace(/^[-+=]/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2');
}

/** A GitHub Markdown table; the first column is left-aligned, numbers to the right. Cells are markup already. */
export function markdownTable(
  head: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  align: 'numbers' | 'text' = 'numbers',
): string {
  const rule = head.map((_, i) => (i === 0 || align === 'text' ? ':--' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Methods that cannot be told from the best are bold. */
export function rankedMarkdown(text: string, rank: Rank): string {
  return rank === 'best' ? `**${text}**` : text;
}
