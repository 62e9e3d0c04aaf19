import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodLabel } from '../../results/method-label.js';
import { formatCount, formatFixed, formatPercent, formatSignificant } from '../text/format-number.js';
import { escapeMarkdown, markdownTable } from './escape-markdown.js';

const HINT =
  'More with `--diagnostics full`: every seed and M of the curves and weights, and every method (a large run has no curves without it).';

/** The diagnostics of the paper on one data set: a table each, means over targets; per target in tables/*.csv. */
export function diagnosticsSection(dataset: string, diagnostics: Diagnostics): string[] {
  const parts = [
    ...disagreementRates(dataset, diagnostics),
    ...relativeOnly(dataset, diagnostics),
    ...reintroduction(dataset, diagnostics),
    ...weightsByMargin(dataset, diagnostics),
    ...sensitivity(dataset, diagnostics),
    ...sampleSize(dataset, diagnostics),
    ...combinations(dataset, diagnostics),
  ];
  return parts.length === 0 || diagnostics.level !== 'basic' ? parts : [...parts, HINT];
}

/** A heading, what is shown, the table, and how it was made. */
function part(title: string, table: string, ...notes: (string | undefined)[]): string[] {
  return [`### ${title}`, ...notes.filter((note) => note !== undefined).map(escapeMarkdown), table];
}

function of<T extends { readonly dataset: string }>(dataset: string, rows: readonly T[] | undefined): T[] {
  return (rows ?? []).filter((row) => row.dataset === dataset);
}

function disagreementRates(dataset: string, { disagreement, disagreementMedians, notes }: Diagnostics): string[] {
  const rows = of(dataset, disagreement);
  if (rows.length === 0) return [];
  const cells = rows.map((row) => [
    escapeMarkdown(row.target),
    escapeMarkdown(row.ownBase),
    formatCount(row.examples),
    formatCount(row.disagreements),
    formatPercent(row.rate),
  ]);
  const median = of(dataset, disagreementMedians)[0]?.median ?? null;
  const head = ['Target', 'Own base', 'Examples', 'Differ', 'Rate %'];
  return part(
    'Disagreement rates',
    markdownTable(head, [...cells, ['*Median*', '', '', '', formatPercent(median)]]),
    notes?.disagreement,
  );
}

function relativeOnly(dataset: string, diagnostics: Diagnostics): string[] {
  const rows = of(dataset, diagnostics.relativeOnly);
  if (rows.length === 0) return [];
  const columns = [...new Map(rows.map((row) => [methodLabel(row.method, row.combinationSize), row])).keys()];
  const targets = [...new Set(rows.map(({ target }) => target).filter((target) => target !== null)), null];
  const cells = targets.map((target) => [
    targetName(target),
    ...columns.map((column) => {
      const row = rows.find(
        (each) => each.target === target && methodLabel(each.method, each.combinationSize) === column,
      );
      if (row === undefined) return '';
      return formatFixed(row.eceMeanPp) + (row.eceSePp === null ? '' : ` ± ${formatFixed(row.eceSePp)}`);
    }),
  ]);
  return part(
    'Relative support alone',
    markdownTable(['Target', ...columns.map(escapeMarkdown)], cells),
    'ECE in pp with the support of the own base alone, without corroboration, beside DACA and SupportCal.',
  );
}

type Curve = NonNullable<Diagnostics['sensitivity']>[number];

function reintroduction(dataset: string, { reintroduction, notes }: Diagnostics): string[] {
  const curves = of(dataset, reintroduction).filter(({ target }) => target === null);
  const label = (curve: (typeof curves)[number]) =>
    curve.weights === 'unit' ? 'Unit weights' : methodLabel('supportcal', curve.combinationSize);
  return curveTables(curves, {
    title: 'Reintroducing disagreement',
    label,
    xText: (x) => `${formatPercent(x, 0)} %`,
    note: notes?.reintroduction,
  });
}

function sensitivity(dataset: string, { sensitivity, notes }: Diagnostics): string[] {
  const curves = of(dataset, sensitivity);
  const meanLast = [
    ...curves.filter(({ target }) => target !== null),
    ...curves.filter(({ target }) => target === null),
  ];
  return curveTables(meanLast, {
    title: 'Sensitivity to M',
    label: ({ target }) => targetName(target),
    xText: (x) => `M = ${x}`,
    note: notes?.sensitivity,
  });
}

function sampleSize(dataset: string, { sampleSize, notes }: Diagnostics): string[] {
  const curves = of(dataset, sampleSize).filter(({ target }) => target === null);
  return curveTables(curves, {
    title: 'How many examples the fit needs',
    label: ({ method, combinationSize }) => escapeMarkdown(methodLabel(method, combinationSize)),
    xText: (x, count) => `${formatPercent(x, 0)} % (${formatCount(Math.round(count))})`,
    note: notes?.sampleSize,
  });
}

/** What stands above and beside the numbers of curves. */
interface CurveTexts<C> {
  readonly title: string;
  readonly label: (curve: C) => string;
  readonly xText: (x: number, calibrationCount: number) => string;
  readonly note: string | undefined;
}

/** ECE and temperature of every curve, one line each. */
function curveTables<C extends Omit<Curve, 'dataset' | 'target'>>(
  curves: readonly C[],
  { title, label, xText, note }: CurveTexts<C>,
): string[] {
  if (curves.length === 0) return [];
  const widest = curves.reduce((most, curve) => (curve.points.length > most.points.length ? curve : most));
  const head = widest.points.map(({ x, calibrationCount }) => xText(x, calibrationCount));
  const rows = (cell: (point: Curve['points'][number]) => string) =>
    curves.map((curve) => [
      label(curve),
      ...widest.points.map((_, i) => (curve.points[i] ? cell(curve.points[i]) : '')),
    ]);
  return [
    ...part(
      title,
      markdownTable(
        ['ECE pp', ...head],
        rows((point) => formatPercent(point.eceMean, 2)),
      ),
      note,
    ),
    markdownTable(['Temperature', ...head], rows(temperatureText)),
  ];
}

function temperatureText({ temperatureMean, infinite, none, fits }: Curve['points'][number]): string {
  const parts = [
    temperatureMean === null ? null : formatSignificant(temperatureMean),
    infinite > 0 ? `∞ ${infinite}/${fits}` : null,
    none > 0 ? `∅ ${none}/${fits}` : null,
  ];
  return parts.filter((text) => text !== null).join(', ');
}

function weightsByMargin(dataset: string, { weightByMargin, weightBySign, notes }: Diagnostics): string[] {
  const pooled = of(dataset, weightByMargin).filter(({ target }) => target === null);
  const [first] = pooled;
  if (first === undefined) return [];
  const bins = first.bins.map(({ lower, upper }) => `${lower} to ${upper} %`);
  const size = (combinationSize: number) => methodLabel('supportcal', combinationSize);
  const byPercentile = pooled.map((row) => [
    size(row.combinationSize),
    ...row.bins.map(({ meanWeight }) => formatFixed(meanWeight, 3)),
  ]);
  const signs = of(dataset, weightBySign).filter(({ target, count }) => target === null && count > 0);
  const bySign = signs.map((row) => [
    size(row.combinationSize),
    { negative: 'm < 0', zero: 'm = 0', positive: 'm > 0' }[row.sign],
    formatCount(row.count),
    formatFixed(row.meanWeight, 3),
    formatFixed(row.medianWeight, 3),
  ]);
  return [
    ...part(
      'Weights by boundary margin',
      markdownTable(['Mean weight by percentile of m', ...bins], byPercentile),
      notes?.weightByMargin,
    ),
    markdownTable(['Method', 'Sign of the margin', 'Examples', 'Mean weight', 'Median weight'], bySign),
  ];
}

function combinations(dataset: string, { combinations }: Diagnostics): string[] {
  const rows = of(dataset, combinations);
  if (rows.length === 0) return [];
  const text = `${formatCount(rows.length)} combinations of references with their DS: tables/diagnostics--combinations.csv.`;
  return ['### Combinations', text];
}

function targetName(target: string | null): string {
  return target === null ? '*All targets*' : escapeMarkdown(target);
}
