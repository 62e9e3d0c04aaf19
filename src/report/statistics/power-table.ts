import { detectableDifference } from '../../inference/law/detectable-difference.js';
import { median } from '../../numeric/quantile.js';
import { eceDifference } from '../table/ece-difference.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { formatCount, formatFixed, NOT_AVAILABLE } from '../text/format-number.js';
import type { StatisticTable } from './statistic-table.js';

const POWER = 0.8;

/**
 * Which difference from DACA a run of this size could have found: 2.80 total standard errors for one comparison of
 * level 0.05, more where the level is shared. null where nothing was tested.
 */
export function powerTable(table: PaperTable): StatisticTable | null {
  const daca = table.columns.find(({ method }) => method === 'daca');
  const others = table.columns.filter((column) => column.labelFree && column !== daca);
  if (daca === undefined || others.length === 0) return null;
  const names = [...table.rows.map(({ target }) => target), ...(table.rows.length > 1 ? [null] : [])];
  const found = names.map((target) => others.map((column) => detectable(table, target, [column, daca])));
  const known = found.flat().filter((each) => each !== null);
  if (known.length === 0) return null;
  return {
    title: 'Power: which difference could have been found',
    lead: `True difference from DACA in pp that the paired test finds with a chance of ${100 * POWER} % where the signs of both errors are clear: at level 0.05 for this comparison alone, and in brackets where the level is shared by all pairs (the first step of Holm).`,
    head: ['Target', ...others.map(({ label }) => label)],
    rows: names.map((target, n) => [
      target ?? 'Mean over targets',
      ...(found[n] ?? []).map((each) =>
        each === null ? NOT_AVAILABLE : `${formatFixed(each.alone)} (${formatFixed(each.shared)})`,
      ),
    ]),
    note: sentence(table, found),
  };
}

interface Detectable {
  readonly alone: number;
  readonly shared: number;
}

function detectable(
  table: PaperTable,
  target: string | null,
  [a, b]: readonly [PaperColumn, PaperColumn],
): Detectable | null {
  const error = eceDifference(table, target, a, b)?.standardErrorPp ?? null;
  if (error === null) return null;
  const pairs = table.comparisons.filter((each) => (each.target === null) === (target === null)).length;
  return { alone: detectableDifference(error, POWER), shared: detectableDifference(error, POWER, pairs) };
}

/** The middle of the table, and how many examples are behind it. */
function sentence({ rows }: PaperTable, found: ReadonlyArray<ReadonlyArray<Detectable | null>>): string {
  const middle = (lists: typeof found) => median(lists.flat().flatMap((each) => (each === null ? [] : [each.alone])));
  const counts = rows.flatMap(({ cells }) => cells.flatMap((cell) => (cell.rows === null ? [] : [cell.rows.max])));
  const own = formatFixed(middle(found.slice(0, rows.length)));
  const mean =
    rows.length > 1 ? `, of the mean over these targets ${formatFixed(middle(found.slice(rows.length)))} pp` : '';
  return `With ${formatCount(Math.max(0, ...counts))} labelled examples a split, differences of one target below about ${own} pp${mean} (medians of the table) are more likely missed than this, and a large p-value says nothing against them.`;
}
