/** A GitHub Markdown table; the first column is left-aligned, numbers to the right. Cells are markup already. */
export function markdownTable(
  head: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  align: 'numbers' | 'text' = 'numbers',
): string {
  const rule = head.map((_, i) => (i === 0 || align === 'text' ? ':--' : '--:'));
  return [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
