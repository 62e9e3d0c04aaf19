import type { MetricField } from '../../metrics/metrics.js';
import { mean } from '../../numeric/mean.js';
import { methodKey } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { formatFixed, NOT_AVAILABLE } from '../text/format-number.js';
import { midranks, rankCorrelation } from './rank-correlation.js';
import type { StatisticTable } from './statistic-table.js';

interface Measure {
  readonly field: MetricField;
  readonly name: string;
  /** 100 for percentage points. */
  readonly scale: number;
  readonly digits: number;
}

const MEASURES: readonly Measure[] = [
  { field: 'ece', name: 'ECE', scale: 100, digits: 2 },
  { field: 'ece15', name: '15 bins', scale: 100, digits: 2 },
  { field: 'ece20', name: '20 bins', scale: 100, digits: 2 },
  { field: 'adaptiveEce', name: 'Equal mass', scale: 100, digits: 2 },
  { field: 'smoothEce', name: 'Smooth', scale: 100, digits: 2 },
  { field: 'debiasedEce', name: 'Debiased', scale: 100, digits: 2 },
  { field: 'brier', name: 'Brier', scale: 1, digits: 4 },
  { field: 'nll', name: 'NLL', scale: 1, digits: 4 },
];

/** Values closer than this are one value: fits of one objective can end as far apart. */
const ROUNDING = 1e-9;

/**
 * Label-free methods in the order of their mean over targets, by ECE and by every other measure: does the order
 * survive? null for fewer than two methods with an ECE.
 */
export function rankTable(table: PaperTable, results: Results): StatisticTable | null {
  const columns = table.columns.filter(({ labelFree }) => labelFree);
  const measures = MEASURES.map((measure) => {
    const values = columns.map((column) => meanOf(measure, column, table, results));
    return { ...measure, values, ranks: midranks(values.map(rounded)) };
  }).filter(({ values }) => values.filter((value) => value !== null).length > 1);
  const [ece] = measures;
  if (ece === undefined || ece.field !== 'ece') return null;
  const { bins } = results.protocol;
  return {
    title: 'Does the order of the methods survive another measure?',
    lead: 'Rank (and mean over targets) of the label-free methods; 1 is lowest. ECE and its relatives in pp, NLL in nats; debiased ECE by its distance from 0. Ranks are of the measured means: which differences are more than chance is said under Uncertainty.',
    head: ['Method', ...measures.map(({ field, name }) => (field === 'ece' ? `ECE, ${bins} bins` : name))],
    rows: [
      ...columns.map(({ label }, c) => [
        label,
        ...measures.map(({ values, ranks, digits, scale }) => {
          const [value, rank] = [values[c] ?? null, ranks[c] ?? null];
          return value === null || rank === null
            ? NOT_AVAILABLE
            : `${Number.isInteger(rank) ? rank : rank.toFixed(1)} (${formatFixed(scale * value, digits)})`;
        }),
      ]),
      [
        "Kendall's τ with ECE",
        ...measures.map((measure) => (measure === ece ? '' : formatFixed(rankCorrelation(ece.ranks, measure.ranks)))),
      ],
    ],
    note: survival(columns, measures),
  };
}

function meanOf(
  { field }: Measure,
  column: PaperColumn,
  { dataset, rows }: PaperTable,
  { runs }: Results,
): number | null {
  const own = runs.filter(
    (run) => run.dataset === dataset && methodKey(run.method, run.combinationSize) === column.key,
  );
  const perTarget = rows.map(({ target }) => {
    const values = own.filter((run) => run.target === target).map((run) => run[field]);
    return mean(values.filter((value) => value !== null));
  });
  const known = perTarget.filter((value) => value !== null);
  if (known.length < rows.length) return null;
  const over = mean(field === 'debiasedEce' ? known.map(Math.abs) : known);
  return over;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value / ROUNDING);
}

type Ranked = Measure & { readonly ranks: ReadonlyArray<number | null> };

/** The answer in a sentence: who is first where, and in how many measures the whole order is that of ECE. */
function survival(columns: readonly PaperColumn[], measures: readonly Ranked[]): string {
  const firstOf = ({ ranks }: Ranked) => {
    const least = Math.min(...ranks.flatMap((rank) => rank ?? []));
    return columns.flatMap(({ label }, c) => (ranks[c] === least ? [label] : [])).join(' and ');
  };
  const [ece, ...others] = measures;
  if (ece === undefined) return '';
  const first = firstOf(ece);
  const otherwise = others.filter((measure) => firstOf(measure) !== first);
  const same = others.filter((measure) => rankCorrelation(ece.ranks, measure.ranks) === 1).length;
  const kept =
    otherwise.length === 0
      ? 'by every other measure too'
      : `not by ${otherwise.map((measure) => `${measure.name} (${firstOf(measure)})`).join(', ')}`;
  return `Lowest by ECE: ${first}; ${kept}. The whole order is that of ECE in ${same} of ${others.length} other measures.`;
}
