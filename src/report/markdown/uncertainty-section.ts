import type { Results } from '../../results/results-schema.js';
import { differenceText, eceDifference } from '../table/ece-difference.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { formatCount, formatFixed } from '../text/format-number.js';
import { escapeMarkdown, markdownTable } from './escape-markdown.js';

/**
 * Bootstrap intervals of the ECE and paired differences from DACA and from the best method; nothing without resamples.
 */
export function uncertaintySection(table: PaperTable, results: Results): string[] {
  const resamples = results.protocol.bootstrap?.resamples[table.dataset] ?? 0;
  if (resamples === 0) return [];
  const daca = table.columns.find((column) => column.method === 'daca');
  const best = table.columns.find((_, i) => table.macro[i]?.rank === 'best');
  return [
    '### Uncertainty',
    `95 % intervals and p-values (two-sided) of ${formatCount(resamples)} bootstrap resamples of the evaluation examples, drawn alike for all methods and seeds. Temperatures stay as fitted. tables/comparisons.csv has every pair of methods.`,
    '**Interval of the ECE in pp**',
    intervalTable(table, results),
    ...differences(table, daca, 'DACA'),
    ...(best === daca ? [] : differences(table, best, `${best?.label ?? ''}, lowest on average`)),
  ];
}

function intervalTable(table: PaperTable, { summary, macro }: Results): string {
  const text = (row: { eceLowPp: number | null; eceHighPp: number | null } | undefined) =>
    !row || row.eceLowPp === null ? 'n/a' : `[${formatFixed(row.eceLowPp)}, ${formatFixed(row.eceHighPp)}]`;
  const of = ({ method, combinationSize }: PaperColumn, target?: string) =>
    (target === undefined ? macro : summary.filter((row) => row.target === target)).find(
      (row) => row.dataset === table.dataset && row.method === method && row.combinationSize === combinationSize,
    );
  return markdownTable(
    ['Target', ...table.columns.map((column) => escapeMarkdown(column.label))],
    [
      ...table.rows.map(({ target }) => [
        escapeMarkdown(target),
        ...table.columns.map((column) => text(of(column, target))),
      ]),
      ['*Macro average*', ...table.columns.map((column) => text(of(column)))],
    ],
  );
}

function differences(table: PaperTable, reference: PaperColumn | undefined, name: string): string[] {
  const others = table.columns.filter((column) => column.labelFree && column !== reference);
  if (reference === undefined || others.length === 0 || table.comparisons.length === 0) return [];
  const row = (label: string, target: string | null) => [
    label,
    ...others.map((column) => {
      const difference = eceDifference(table, target, column, reference);
      return difference === null ? 'n/a' : differenceText(difference);
    }),
  ];
  return [
    `**Difference from ${escapeMarkdown(name)}, in pp (below 0: lower ECE)**`,
    markdownTable(
      ['Target', ...others.map((column) => escapeMarkdown(column.label))],
      [
        ...table.rows.map(({ target }) => row(escapeMarkdown(target), target)),
        ...(table.rows.length > 1 ? [row('*Mean over targets*', null)] : []),
      ],
    ),
  ];
}
