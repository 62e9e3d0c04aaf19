import type { Results } from '../../results/results-schema.js';
import { macroText } from '../table/cell-text.js';
import { differenceText, eceDifference, onlyTarget } from '../table/ece-difference.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { zip } from '../table/zip.js';
import { formatPercent } from '../text/format-number.js';
import { healthLines } from '../text/health-lines.js';
import { untoldLines } from '../text/untold-lines.js';
import { verdictLines } from '../text/verdict-lines.js';
import { count, whatIsMissing } from '../text/what-is-missing.js';
import { escapeMarkdown, markdownTable, rankedMarkdown } from './escape-markdown.js';

/** The first screen: what was calibrated, whether it is whole, macro ECE per method, how to read the rest. */
export function headline(results: Results, tables: readonly PaperTable[]): string[] {
  const { protocol, suite, createdAt } = results;
  const targets = new Set(results.summary.map((row) => row.target)).size;
  const seeds = protocol.seeds.length;
  return [
    `# Calibration report: suite ${escapeMarkdown(suite)}`,
    ...partialNote(results),
    `${count(targets, 'post-trained model')} on ${count(tables.length, 'data set')}, ${count(seeds, 'seed')} (${protocol.seeds.join(', ')}). ` +
      `Per seed ${formatPercent(protocol.calibrationFraction, 0)} % of the examples, without their labels, fix the temperature; ` +
      `ECE is measured on the rest. Written ${escapeMarkdown(createdAt)}.`,
    '**Macro-average ECE in pp (percentage points; lower is better)**',
    macroTable(tables),
    ...healthNote(results),
    ...untoldNote(results),
    ...verdictNote(results),
    tables.map((table) => `- ${lowestSentence(table)}`).join('\n'),
    HOW_TO_READ,
    ...experimentalNote(tables),
  ];
}

const HOW_TO_READ = [
  '**How to read.** ECE is the mean distance between confidence and accuracy: at 10 pp a model that says 80 % is right',
  'about 70 % (or 90 %) of the time. Cells are mean ± SE over splits of the same examples; the total standard error, which new',
  'examples would show, stands under Uncertainty. **Bold** are the label-free methods that cannot be told from the best of their row. *Oracle TS (labels)* fits its',
  'temperature to the labels of the calibration split: something to compare with, not a competitor, and no lower bound of',
  'ECE. SupportCal (M) uses M reference models. Look at the accuracy gain beside the ECE: every label-free temperature',
  'makes the model about as unsure as its own base, which fits less the more accuracy post-training gained.',
].join('\n');

function experimentalNote(tables: readonly PaperTable[]): string[] {
  const methods = new Set(tables.flatMap(({ columns }) => columns.map(({ method }) => method)));
  const base = 'the mean confidence of the own base';
  const what = [
    methods.has('confidence-matched') ? `Conf.-matched to ${base}` : null,
    methods.has('accuracy-matched')
      ? `Acc.-matched to ${base} plus the gain of accuracy that the probabilities of all references suggest`
      : null,
    methods.has('auto') ? `Auto to ${base} plus 1.5 times that gain` : null,
    methods.has('auto-labels') ? 'Auto + labels begins there and moves towards the fit on the labels' : null,
  ].filter((part) => part !== null);
  if (what.length === 0) return [];
  return [
    `*(exp.)* marks experimental methods, not of the paper. They set the mean confidence: ${what.join(', ')} ` +
      '(`estimatedAccuracy` in results.json). Judged on tiny models only.',
  ];
}

/** Beside the table, since its numbers look like any others. */
function healthNote(results: Results): string[] {
  const lines = healthLines(results, escapeMarkdown);
  if (lines.length === 0) return [];
  return [['> **Numbers that mean little:**', ...lines.map((line) => `> - ${line}`)].join('\n')];
}

function untoldNote(results: Results): string[] {
  const lines = untoldLines(results, escapeMarkdown);
  if (lines.length === 0) return [];
  return [['> **Options that a server did not tell:**', ...lines.map((line) => `> - ${line}`)].join('\n')];
}

/** What to do with every target, the data sets apart. */
function verdictNote(results: Results): string[] {
  const lines = verdictLines(results.verdicts ?? [], escapeMarkdown);
  if (lines.length === 0) return [];
  return ['**Verdict: which temperature for which model**', lines.map((line) => `- ${line}`).join('\n')];
}

function partialNote(results: Results): string[] {
  const missing = whatIsMissing(results, escapeMarkdown);
  return missing === null ? [] : [`> **Partial run: ${missing}.** See [Skipped](#skipped).`];
}

/** Data sets down, every method that occurs across. */
function macroTable(tables: readonly PaperTable[]): string {
  const columns = new Map(tables.flatMap((table) => table.columns).map((column) => [column.key, column] as const));
  const ordered = [...columns.values()].sort((a, b) => Number(b.labelFree) - Number(a.labelFree));
  const rows = tables.map((table) => [
    escapeMarkdown(table.dataset),
    ...ordered.map(({ key }) => {
      const cell = table.macro[table.columns.findIndex((column) => column.key === key)];
      return cell === undefined ? '' : rankedMarkdown(macroText(cell), cell.rank);
    }),
  ]);
  return markdownTable(['Data set', ...ordered.map((column) => escapeMarkdown(column.label))], rows);
}

/**
 * Which label-free method is lowest, whichever it is, and in how many targets SupportCal is lower than DACA, on average
 * with the p-value of their difference.
 */
function lowestSentence(table: PaperTable): string {
  const lowest = lowestText(table);
  const placed = table.columns.map((column, at) => ({ column, at }));
  const daca = placed.find(({ column }) => column.method === 'daca');
  const duels =
    daca === undefined
      ? []
      : placed.filter(({ column }) => column.method === 'supportcal').map((ours) => duel(table, ours, daca));
  const uneven = new Set(table.macro.map((cell) => cell.targets)).size > 1;
  const suspects = table.rows.filter(({ suspect }) => suspect).length;
  const caution = [
    ...(uneven ? ['the macro averages do not cover the same targets'] : []),
    ...(suspects > 0 ? [`the numbers of ${suspects} of ${count(table.rows.length, 'target')} mean little`] : []),
  ];
  return `**${escapeMarkdown(table.dataset)}**: ${[lowest, ...duels, ...caution].join('; ')}.`;
}

/** The lowest mean, and the methods that cannot be told from it. */
function lowestText(table: PaperTable): string {
  const free = zip(table.columns, table.macro).flatMap(([{ label, labelFree }, { meanPp, rank }]) =>
    labelFree && meanPp !== null ? [{ label: escapeMarkdown(label), meanPp, rank }] : [],
  );
  if (free.length === 0) return 'no label-free method has an ECE';
  const least = Math.min(...free.map(({ meanPp }) => meanPp));
  const best = free.filter(({ meanPp }) => meanPp <= least + ROUNDING);
  const names = best.map(({ label }) => label).join(' and ');
  const others = free.filter((each) => each.rank === 'best' && !best.includes(each)).map(({ label }) => label);
  const told = table.told.alike.includes('macro average') ? ['no method can be told from it'] : [];
  const tied = others.length > 0 ? [`not told from ${others.join(', ')}`] : told;
  return `lowest macro ECE: ${names} (${[`${least.toFixed(2)} pp`, ...tied].join('; ')})`;
}

/** Two fits of one objective can end this far apart by rounding. */
const ROUNDING = 1e-9;

/** A column and its place in the table. */
interface PlacedColumn {
  readonly column: PaperColumn;
  readonly at: number;
}

function duel(table: PaperTable, ours: PlacedColumn, daca: PlacedColumn): string {
  const pairs = table.rows
    .map((row) => [row.cells[ours.at]?.meanPp ?? null, row.cells[daca.at]?.meanPp ?? null] as const)
    .filter((pair): pair is [number, number] => pair[0] !== null && pair[1] !== null);
  const lower = pairs.filter(([a, b]) => a < b).length;
  const equal = pairs.filter(([a, b]) => a === b).length;
  const tie = equal > 0 ? ` and equal in ${equal}` : '';
  return `${escapeMarkdown(ours.column.label)} is lower than DACA in ${lower} of ${count(pairs.length, 'target')}${tie}${meanDifference(table, ours.column, daca.column)}`;
}

function meanDifference(table: PaperTable, ours: PaperColumn, daca: PaperColumn): string {
  const difference = eceDifference(table, onlyTarget(table), ours, daca);
  return difference === null ? '' : ` (on average ${differenceText(difference)})`;
}
