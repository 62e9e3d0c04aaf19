import Table from 'cli-table3';
import type { Ink } from './console-cell.js';

export interface RuledCell {
  readonly content: string;
  /** Stands behind an upright line. */
  readonly apart?: boolean;
}

export interface RuledTable {
  readonly head: readonly RuledCell[];
  readonly rows: ReadonlyArray<readonly RuledCell[]>;
  readonly foot: readonly RuledCell[];
  /** Blanks behind every cell; there is one before. */
  readonly gap: 0 | 1;
}

const RULES = {
  top: '─',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  mid: '',
  'left-mid': '',
  'mid-mid': '',
  'right-mid': '',
  bottom: '─',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  right: '',
  middle: '',
};
const APART = { middle: '│', 'top-mid': '┬', 'bottom-mid': '┴' };

/** A table with rules above and below head and foot; names left, the rest right. Returns the width of its lines too. */
export function ruledTable({ head, rows, foot, gap }: RuledTable, { colors }: Ink): { text: string; width: number } {
  const output = new Table({
    chars: RULES,
    style: { head: [], border: [], compact: true, 'padding-left': 1, 'padding-right': gap },
    colAligns: head.map((_, i) => (i === 0 ? 'left' : 'right')),
  });
  const place = ({ content, apart }: RuledCell) => ({ content, ...(apart ? { chars: APART } : {}) });
  const bold = (cell: RuledCell) => ({ ...cell, content: eachLine(cell.content, colors.bold) });
  output.push(
    head.map((cell) => ({ ...place(bold(cell)), vAlign: 'bottom' as const })),
    ...rows.map((row) => row.map(place)),
    foot.map(place),
  );
  const lines = output.toString().split('\n');
  const [top = ''] = lines;
  const rule = top.replaceAll('┬', '┼');
  lines.splice(1 + heightOf(head), 0, rule);
  lines.splice(-1 - heightOf(foot), 0, rule);
  return { text: lines.join('\n'), width: rule.length };
}

function heightOf(cells: readonly RuledCell[]): number {
  return Math.max(...cells.map(({ content }) => content.split('\n').length));
}

function eachLine(text: string, paint: (line: string) => string): string {
  return text.split('\n').map(paint).join('\n');
}
