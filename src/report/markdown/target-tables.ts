import { mean } from '../../numeric/mean.js';
import { methodKey } from '../../results/method-label.js';
import type { RunResult } from '../../results/run-schema.js';
import { INFINITE_MARK, NO_FIT_MARK } from '../table/cell-text.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { formatPercent, formatSignificant } from '../text/format-number.js';
import { escapeMarkdown, markdownTable } from './escape-markdown.js';

/** Mean temperature per target and method; seeds without a finite one are counted beside it, never averaged in. */
export function temperatureTable(table: PaperTable, runs: readonly RunResult[]): string {
  const columns = table.columns.filter((column) =>
    runs.some(
      (run) =>
        isOf(column, run) &&
        (run.temperature !== null || run.temperatureReason !== null || run.temperatureKind === 'infinite'),
    ),
  );
  const rows = table.rows.map(({ target }) => [
    escapeMarkdown(target),
    ...columns.map((column) => temperatureText(runs.filter((run) => run.target === target && isOf(column, run)))),
  ]);
  return markdownTable(['Target', ...columns.map((column) => escapeMarkdown(column.label))], rows);
}

function temperatureText(runs: readonly RunResult[]): string {
  const finite = runs.map((run) => run.temperature).filter((value) => value !== null);
  const infinite = runs.filter((run) => run.temperatureKind === 'infinite').length;
  const none = runs.length - finite.length - infinite;
  return [
    finite.length > 0 ? formatSignificant(mean(finite)) : null,
    infinite > 0 ? `${INFINITE_MARK} ${infinite}/${runs.length}` : null,
    none > 0 ? `${NO_FIT_MARK} ${none}/${runs.length}` : null,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** Own base, disagreement rate and the references that were selected, most frequent first. */
export function disagreementTable(table: PaperTable, runs: readonly RunResult[]): string {
  const selecting = table.columns.filter((column) =>
    runs.some((run) => isOf(column, run) && run.selectedReferences !== null),
  );
  const rows = table.rows.map((row) => {
    const ofTarget = runs.filter((run) => run.target === row.target);
    const rates = ofTarget.map((run) => run.disagreementRate).filter((rate) => rate !== null);
    const range =
      rates.length > 0 ? ` (${formatPercent(Math.min(...rates))} to ${formatPercent(Math.max(...rates))})` : '';
    return [
      escapeMarkdown(row.target),
      escapeMarkdown(row.ownBase),
      formatPercent(row.disagreementRate) + range,
      ...selecting.map((column) => selectedText(ofTarget.filter((run) => isOf(column, run)))),
    ];
  });
  const heads = selecting.map((column) => `References, ${escapeMarkdown(column.label)}`);
  return markdownTable(['Target', 'Own base', 'Disagreement %', ...heads], rows, 'text');
}

function selectedText(runs: readonly RunResult[]): string {
  const counts = new Map<string, number>();
  for (const run of runs) {
    const name = run.selectedReferences === null ? 'none' : run.selectedReferences.map(escapeMarkdown).join(' + ');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name, count]) => `${name} (${count})`)
    .join(', ');
}

function isOf(column: PaperColumn, run: RunResult): boolean {
  return methodKey(run.method, run.combinationSize) === column.key;
}
