import { methodKey, methodLabel } from '../../results/method-label.js';
import type { PublishedComparison } from '../../results/published-comparison.js';
import type { Results } from '../../results/results-schema.js';
import { formatFixed, formatSigned } from '../text/format-number.js';
import { escapeMarkdown, markdownTable } from './escape-markdown.js';

type Table = PublishedComparison['tables'][number];
type Rows = PublishedComparison['diagnostics'];

/** Our ECE beside printed numbers of a data set, one table each; nothing where the suite names none. */
export function publishedSection(dataset: string, { published }: Pick<Results, 'published'>): string[] {
  const tables = (published?.tables ?? []).filter((table) => table.dataset === dataset);
  const diagnostics = (published?.diagnostics ?? []).filter((row) => row.dataset === dataset);
  if (published === null || tables.length + diagnostics.length === 0) return [];
  return [
    `### Beside ${escapeMarkdown(published.title)}`,
    'ECE in pp, ours / printed, and the difference in standard errors of both together (SE). Ours is the total standard error where it is known, and at least as much is taken for the printed one; they hold no uncertainty about model files, quantisation and prompts, so large values are to be expected where those differ. Methods that this run does not have show the printed number alone.',
    ...tables.flatMap((table) => [
      ...(tables.length > 1 ? [`Table ${escapeMarkdown(table.name)}:`] : []),
      comparisonTable(table),
    ]),
    ...(diagnostics.length === 0 ? [] : [diagnosticsTable(diagnostics)]),
  ];
}

function diagnosticsTable(rows: Rows): string {
  const body = rows.map(({ quantity, combinationSize, ours, printed, difference }) => [
    escapeMarkdown(quantity),
    combinationSize === null ? '' : escapeMarkdown(methodLabel('supportcal', combinationSize)),
    formatFixed(ours, 3),
    formatFixed(printed, 3),
    formatSigned(difference, 3),
  ]);
  return markdownTable(['Of the figures and appendices', 'Method', 'Ours', 'Printed', 'Difference'], body);
}

function comparisonTable({ rows, macro }: Table): string {
  const columns = macro.map((each) => ({ ...each, key: methodKey(each.method, each.combinationSize) }));
  const targets = [...new Set(rows.map((row) => row.target))];
  const body = targets.map((target) => [
    escapeMarkdown(target),
    ...columns.map(({ key }) => {
      const row = rows.find((each) => each.target === target && methodKey(each.method, each.combinationSize) === key);
      if (row === undefined) return '';
      if (row.eceMeanPp === null) return `– / ${formatFixed(row.printedMeanPp)}`;
      const inSe = row.differenceSe === null ? '' : ` (${formatSigned(row.differenceSe)} SE)`;
      return `${formatFixed(row.eceMeanPp)} / ${formatFixed(row.printedMeanPp)}${inSe}`;
    }),
  ]);
  const means = columns.map(({ targets: count, eceMeanPp, printedMeanPp, differencePp }) =>
    count === 0
      ? '–'
      : `${formatFixed(eceMeanPp)} / ${formatFixed(printedMeanPp)} (${formatSigned(differencePp, 2)} pp, ${count} of ${targets.length})`,
  );
  const head = columns.map(({ method, combinationSize }) => escapeMarkdown(methodLabel(method, combinationSize)));
  return markdownTable(['Target', ...head], [...body, ['*Mean of both*', ...means]]);
}
