import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Results } from '../../results/results-schema.js';
import { FEWEST_LABELS } from '../../results/verdict/verdict-kind.js';
import type { StatisticTable } from '../statistics/statistic-table.js';
import { statisticTables } from '../statistics/statistic-tables.js';
import { accuracyText, cellMarks, cellText, footnotes, macroText, markNote, suspectMark } from '../table/cell-text.js';
import type { PaperTable } from '../table/paper-table.js';
import { formatCount, formatFixed, formatPercent } from '../text/format-number.js';
import type { ReportFigure } from '../text/report-file.js';
import { elicitationSection } from './elicitation-section.js';
import { escapeMarkdown, markdownTable, rankedMarkdown } from './escape-markdown.js';
import { rotationSection } from './rotation-section.js';
import { disagreementTable, temperatureTable } from './target-tables.js';
import { uncertaintySection } from './uncertainty-section.js';

const FEW_EXAMPLES = 300;
const LOW_OPTION_MASS = 0.5;

/** Everything about one data set: ECE table, temperatures, models, disagreement, figures. */
export function datasetSection(
  table: PaperTable,
  results: Results,
  diagnostics: Diagnostics,
  figures: readonly ReportFigure[],
): string[] {
  const runs = results.runs.filter((run) => run.dataset === table.dataset);
  const models = diagnostics.models.filter((row) => row.dataset === table.dataset);
  return [
    `## ${escapeMarkdown(table.dataset)}`,
    ...fewExamplesNote(table),
    '**ECE in pp, mean ± SE over splits.** Accuracy in % on the evaluation split, own base → post-trained (gain in pp).',
    eceTable(table),
    ...[markNote(table), ...footnotes(table)].map(escapeMarkdown),
    ...uncertaintySection(table, results, diagnostics),
    ...statisticTables(table, results, diagnostics).flatMap(statisticSection),
    '### Temperatures',
    'Divide the logits by the temperature. Mean over the seeds that have a finite one.',
    temperatureTable(table, runs),
    '### Models',
    'Over all scored examples, before calibration. Accuracy and mean confidence in %, ECE in pp; option mass is the share of probability that the whole vocabulary leaves to the options, a fraction.',
    modelTable(models, table),
    ...optionMassNotes(models),
    '### Disagreement with the own base',
    'Share of the examples on which target and own base predict differently, mean over seeds (lowest to highest), in %; the references that SupportCal chose, with the number of seeds.',
    disagreementTable(table, runs),
    ...rotationSection(table, runs, diagnostics),
    ...elicitationSection(table, runs, diagnostics),
    ...figureList(figures.filter((figure) => figure.dataset === table.dataset)),
  ];
}

function statisticSection({ title, lead, head, rows, note }: StatisticTable): string[] {
  const table = markdownTable(
    head.map(escapeMarkdown),
    rows.map(([name = '', ...cells]) => [escapeMarkdown(name), ...cells]),
  );
  return [
    `### ${escapeMarkdown(title)}`,
    escapeMarkdown(lead),
    table,
    ...(note === null ? [] : [escapeMarkdown(note)]),
  ];
}

function fewExamplesNote(table: PaperTable): string[] {
  const counts = table.rows.flatMap((row) => row.cells.flatMap((cell) => (cell.rows === null ? [] : [cell.rows.min])));
  const fewest = Math.min(...counts);
  if (counts.length === 0 || fewest >= FEW_EXAMPLES) return [];
  return [
    `> **Warning:** ${formatCount(fewest)} evaluation examples per seed. Below ${FEW_EXAMPLES}, ECE is biased upwards and small differences mean nothing; a verdict, which allows for both, takes ${FEWEST_LABELS} with labels.`,
  ];
}

/**
 * The table of the paper: targets down, methods across, those that cannot be told from the best bold, macro average.
 */
export function eceTable(table: PaperTable): string {
  const head = ['Target', 'Accuracy', ...table.columns.map((column) => escapeMarkdown(column.label))];
  const rows = table.rows.map((row) => [
    `${escapeMarkdown(row.target)}${suspectMark(row)}`,
    accuracyText(row),
    ...row.cells.map((cell) => rankedMarkdown(cellText(cell), cell.rank) + (cellMarks(cell) && ` ${cellMarks(cell)}`)),
  ]);
  return markdownTable(head, [...rows, ['*Macro average*', '', ...table.macro.map((cell) => macroText(cell))]]);
}

function modelTable(models: Diagnostics['models'], table: PaperTable): string {
  const targets = new Set(table.rows.map((row) => row.target));
  const ownBases = new Set(table.rows.map((row) => row.ownBase));
  const roleOf = (model: string) => (targets.has(model) ? 'target' : ownBases.has(model) ? 'own base' : 'reference');
  return markdownTable(
    ['Model', 'Role', 'Examples', 'Failed', 'Accuracy %', 'Mean confidence %', 'ECE pp', 'Median option mass'],
    models.map((row) => [
      escapeMarkdown(row.model),
      roleOf(row.model),
      formatCount(row.examples),
      formatCount(row.failed),
      formatPercent(row.accuracy),
      formatPercent(row.meanConfidence),
      formatPercent(row.ece, 2),
      formatFixed(row.medianOptionMass, 3),
    ]),
  );
}

function optionMassNotes(models: Diagnostics['models']): string[] {
  const low = models.filter((row) => row.medianOptionMass !== null && row.medianOptionMass < LOW_OPTION_MASS);
  if (low.length === 0) return [];
  const names = low.map((row) => `${escapeMarkdown(row.model)} (${formatFixed(row.medianOptionMass, 3)})`).join(', ');
  return [
    `> **Warning:** median option mass below ${LOW_OPTION_MASS}: ${names}. The model mostly wants to say something else than an option; check its prompt and template.`,
  ];
}

/** Figures by their paths, under a heading; nothing where there are none. */
export function figureList(figures: readonly ReportFigure[]): string[] {
  if (figures.length === 0) return [];
  return [
    '### Figures',
    ...figures.map((figure) => `![${escapeMarkdown(`${figure.title}. ${figure.alt}`)}](${figure.path})`),
  ];
}
