import { mean } from '../../numeric/mean.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodKey } from '../../results/method-label.js';
import type { RunResult } from '../../results/run-schema.js';
import type { PaperTable } from '../table/paper-table.js';
import { formatCount, formatPercent } from '../text/format-number.js';
import { escapeMarkdown, markdownTable } from './escape-markdown.js';

/**
 * How many replies could be read, and which methods answer only a part of the examples; nothing where none was asked.
 */
export function elicitationSection(
  table: PaperTable,
  runs: readonly RunResult[],
  { elicitation = [] }: Pick<Diagnostics, 'elicitation'>,
): string[] {
  const rows = elicitation.filter(({ dataset }) => dataset === table.dataset);
  if (rows.length === 0) return [];
  return [
    '### Replies',
    'Answers with a confidence in words. Parsed in % of all replies; the rest by the reason why it counts for nothing. Nothing is filled in.',
    markdownTable(
      [
        'Target',
        'Replies',
        'Parsed %',
        'Refusals',
        'Out of range',
        'Ambiguous',
        'No answer',
        'No confidence',
        'Cut',
        'Failed',
        'Tokens',
      ],
      rows.map((row) => [
        `${escapeMarkdown(row.target)}${row.kind === 'elicitation' ? '' : `, samples at ${row.temperature}`}`,
        formatCount(row.replies),
        formatPercent(row.replies === 0 ? null : row.parsed / row.replies),
        ...[row.refusals, row.outOfRange, row.ambiguous, row.noAnswer, row.noConfidence].map(formatCount),
        ...[row.cut, row.failed, row.tokens].map(formatCount),
      ]),
    ),
    ...coverageNotes(table, runs),
  ];
}

/** Means over seeds; only cells that leave examples out. */
function coverageNotes(table: PaperTable, runs: readonly RunResult[]): string[] {
  const notes = table.rows.flatMap(({ target }) =>
    table.columns.flatMap((column) => {
      const own = runs.filter(
        (run) => run.target === target && methodKey(run.method, run.combinationSize) === column.key,
      );
      const coverage = mean(own.map((run) => run.coverage).filter((value) => value !== null));
      if (coverage === null || coverage === 1) return [];
      return [`${escapeMarkdown(target)} · ${escapeMarkdown(column.label)} ${formatPercent(coverage)} %`];
    }),
  );
  if (notes.length === 0) return [];
  return [
    `Share of the evaluation examples with an answer, where it is not all of them; below the limit of the suite there is no ECE: ${notes.join(', ')}.`,
  ];
}
