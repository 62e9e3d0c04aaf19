import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodKey } from '../../results/method-label.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { formatCount, formatPercent } from '../text/format-number.js';
import type { StatisticTable } from './statistic-table.js';

type Curve = NonNullable<Diagnostics['riskCoverage']>[number];

/** The shares of the surest answers that the table shows; the figure has ten. */
const SHOWN = [0.2, 0.5, 0.8, 1];
/** Before, and after; of several M the smallest. */
const METHODS = ['vanilla', 'daca', 'supportcal', 'oracle-ts'];

/** Errors among the surest answers of every target, before and after calibration; null where the run has no curves. */
export function riskTable(table: PaperTable, { riskCoverage = [], notes }: Diagnostics): StatisticTable | null {
  const own = riskCoverage.filter(({ dataset }) => dataset === table.dataset);
  const columns = METHODS.flatMap((method) => smallest(table.columns, method)).filter(({ key }) =>
    own.some((row) => keyOf(row) === key),
  );
  if (columns.length === 0) return null;
  const curves = table.rows.flatMap(({ target }) =>
    columns.flatMap((column) => {
      const curve = own.find((row) => row.target === target && keyOf(row) === column.key);
      return curve === undefined ? [] : [{ name: `${target}, ${column.label}`, curve }];
    }),
  );
  return {
    title: 'Selective prediction: errors among the surest answers',
    lead: `${notes?.riskCoverage ?? ''} Risk in %, with its interval.`.trim(),
    head: ['Target, method', 'Examples', ...SHOWN.map((share) => `surest ${formatPercent(share, 0)} %`)],
    rows: curves.map(({ name, curve }) => [
      name,
      formatCount(curve.examples),
      ...SHOWN.map((share) => pointText(curve.points[Math.round(10 * share) - 1])),
    ]),
    note: null,
  };
}

function smallest(columns: readonly PaperColumn[], method: string): PaperColumn[] {
  return columns
    .filter((column) => column.method === method)
    .sort((a, b) => (a.combinationSize ?? 0) - (b.combinationSize ?? 0))
    .slice(0, 1);
}

function keyOf({ method, combinationSize }: Curve): string {
  return methodKey(method, combinationSize);
}

function pointText(point: Curve['points'][number] | undefined): string {
  if (point === undefined) return '';
  return `${formatPercent(point.risk)} [${formatPercent(point.low)}, ${formatPercent(point.high)}]`;
}
