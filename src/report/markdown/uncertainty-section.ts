import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodKey } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import { INTERVAL_LIMITS, intervalLimits, limitNotes } from '../statistics/interval-limits.js';
import { differenceText, eceDifference } from '../table/ece-difference.js';
import { overModelsLines } from '../table/over-models-text.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { formatCount, formatFixed } from '../text/format-number.js';
import { escapeMarkdown, markdownTable } from './escape-markdown.js';

type Summary = Results['summary'][number];

/**
 * What is known of the ECE beside its value: interval, total standard error, what a calibrated model would show,
 * differences from DACA, and what is said of other models; nothing where nothing was inferred.
 */
export function uncertaintySection(table: PaperTable, results: Results, diagnostics: Diagnostics): string[] {
  const summary = results.summary.filter((row) => row.dataset === table.dataset);
  if (summary.every((row) => row.eceLowPp === null)) return [];
  const resamples = results.protocol.bootstrap?.resamples[table.dataset] ?? 0;
  return [
    '### Uncertainty',
    ESTIMAND,
    '**Interval of the ECE in pp, level 0.95**',
    cellTable(table, summary, markedIntervals(table, diagnostics), macroIntervals(table, results)),
    ...limitNotes(table, diagnostics),
    ...unresampledNote(table, summary, resamples),
    ...(resamples === 0
      ? ['No examples were resampled: the intervals take the temperatures as fitted, and nothing was tested.']
      : resampledTables(table, results, resamples)),
    '**A calibrated model with these confidences and as many examples would show (mean; 1 in 20 cases at least) pp; p of the test of calibration**',
    cellTable(table, summary, calibratedText),
    ...(resamples === 0 ? [] : [...differences(table), ...overModelsLines(table, results.runs).map(escapeMarkdown)]),
  ];
}

const ESTIMAND = [
  'The interval is of the ECE of the population that the examples are drawn from, in the same bins, with the temperature that the whole population would',
  'give; it is not the error of a curve without bins. ECE measured on few examples is too high, so the interval reaches further down than up, and to 0 where a calibrated model would',
  'show as much. The interval of the macro average is another one: of the mean measured ECE on as many examples, over targets of other bases (a base with',
  'all its targets is one draw).',
].join(' ');

/** Why some methods have no total standard error where others have one. */
function unresampledNote(table: PaperTable, summary: readonly Summary[], resamples: number): string[] {
  if (resamples === 0) return [];
  const without = table.columns.filter((column) =>
    summary.every((row) => !isOf(column, row) || row.eceTotalSePp === null),
  );
  if (without.length === 0 || without.length === table.columns.length) return [];
  const names = without.map(({ label }) => escapeMarkdown(label)).join(', ');
  return [
    `Not resampled, so without total standard error and tests: ${names}. Temperatures that labels move only so far, estimates of one's own and methods that left too much unanswered are not fitted again; their intervals take the temperatures as fitted.`,
  ];
}

/** The mean over targets when bases are drawn: nothing for a table of one base. */
function macroIntervals(table: PaperTable, { macro }: Results): string[] | null {
  const own = table.columns.map((column) =>
    macro.find((row) => row.dataset === table.dataset && isOf(column, row) && row.bases !== null),
  );
  const most = Math.max(...own.map((row) => row?.bases ?? 0));
  if (most < 2) return null;
  return [`*Macro average, targets of other bases drawn like these ${most}*`, ...own.map(intervalText)];
}

function resampledTables(table: PaperTable, results: Results, resamples: number): string[] {
  const error = (row: { eceTotalSePp: number | null } | undefined) => formatFixed(row?.eceTotalSePp ?? null);
  const macro = results.macro.filter((row) => row.dataset === table.dataset);
  return [
    `**Total standard error in pp**: over new examples, splits and refits (${formatCount(resamples)} nested resamples). The SE over splits is smaller because all splits share the examples.`,
    cellTable(
      table,
      results.summary.filter((row) => row.dataset === table.dataset),
      error,
      [
        '*Macro average, these targets*',
        ...table.columns.map((column) => error(macro.find((row) => isOf(column, row)))),
      ],
    ),
  ];
}

function cellTable(
  table: PaperTable,
  summary: readonly Summary[],
  text: (row: Summary | undefined) => string,
  last: readonly string[] | null = null,
): string {
  return markdownTable(
    ['Target', ...table.columns.map((column) => escapeMarkdown(column.label))],
    [
      ...table.rows.map(({ target }) => [
        escapeMarkdown(target),
        ...table.columns.map((column) => text(summary.find((row) => row.target === target && isOf(column, row)))),
      ]),
      ...(last === null ? [] : [last]),
    ],
  );
}

function isOf(column: PaperColumn, row: Pick<Summary, 'method' | 'combinationSize'>): boolean {
  return row.method === column.method && row.combinationSize === column.combinationSize;
}

function intervalText(row: Pick<Summary, 'eceLowPp' | 'eceHighPp'> | undefined): string {
  return !row || row.eceLowPp === null ? 'n/a' : `[${formatFixed(row.eceLowPp)}, ${formatFixed(row.eceHighPp)}]`;
}

/** Intervals with the marks of what simulations found them too short for. */
function markedIntervals(table: PaperTable, diagnostics: Diagnostics): (row: Summary | undefined) => string {
  const limits = intervalLimits(table, diagnostics);
  return (row) => {
    const text = intervalText(row);
    if (row === undefined || row.eceLowPp === null) return text;
    const own = limits(row.target, methodKey(row.method, row.combinationSize));
    return [text, ...own.map((limit) => INTERVAL_LIMITS[limit].mark)].join(' ');
  };
}

function calibratedText(row: Summary | undefined): string {
  if (!row || row.calibratedPValue === null) return 'n/a';
  const p = row.calibratedPValue < 0.001 ? 'p < 0.001' : `p = ${formatFixed(row.calibratedPValue, 3)}`;
  return `${formatFixed(row.calibratedMeanPp)}; ${formatFixed(row.calibratedHighPp)}; ${p}`;
}

function differences(table: PaperTable): string[] {
  const daca = table.columns.find((column) => column.method === 'daca');
  const others = table.columns.filter((column) => column.labelFree && column !== daca);
  if (daca === undefined || others.length === 0 || table.comparisons.length === 0) return [];
  const row = (label: string, target: string | null) => [
    label,
    ...others.map((column) => {
      const difference = eceDifference(table, target, column, daca);
      return difference === null ? 'n/a' : differenceText(difference);
    }),
  ];
  return [
    '**Difference from DACA, in pp (below 0: lower ECE)**',
    'Interval and p-values are of the signed errors, which have no bias of finite bins, so the difference of two ECEs need not lie in the middle. Adjusted: Holm, over all pairs of all targets, or of all means. Where the sign of an error is not clear the interval spans both, and p, of size 0.05 even then, can be small while it holds 0 (docs/methods.md, Paired test). tables/comparisons.csv has every pair.',
    markdownTable(
      ['Target', ...others.map((column) => escapeMarkdown(column.label))],
      [
        ...table.rows.map(({ target }) => row(escapeMarkdown(target), target)),
        ...(table.rows.length > 1 ? [row('*Mean over targets*', null)] : []),
      ],
    ),
  ];
}
