import { formatFixed, formatSigned } from '../text/format-number.js';
import type { PaperColumn, PaperTable } from './paper-table.js';
import { zip } from './zip.js';

/** ECE of one method minus that of another on the same examples, in percentage points. */
export interface EceDifference {
  readonly differencePp: number;
  readonly lowPp: number;
  readonly highPp: number;
  /** Total; null in files of older versions. */
  readonly standardErrorPp: number | null;
  readonly pValue: number;
  /** Adjusted (Holm); null in files of older versions. */
  readonly pValueHolm: number | null;
  readonly resamples: number;
}

type MethodOfColumn = Pick<PaperColumn, 'method' | 'combinationSize'>;

/** Looks up a - b for a target (null: mean over targets), whichever way round it was compared; null: it was not. */
export function eceDifference(
  { comparisons }: Pick<PaperTable, 'comparisons'>,
  target: string | null,
  a: MethodOfColumn,
  b: MethodOfColumn,
): EceDifference | null {
  for (const each of comparisons) {
    if (each.target !== target) continue;
    const [first, second] = [
      { method: each.methodA, combinationSize: each.combinationSizeA },
      { method: each.methodB, combinationSize: each.combinationSizeB },
    ];
    const { differencePp, lowPp, highPp, standardErrorPp, pValue, pValueHolm, resamples } = each;
    const tested = { standardErrorPp, pValue, pValueHolm, resamples };
    if (same(first, a) && same(second, b)) return { differencePp, lowPp, highPp, ...tested };
    if (same(first, b) && same(second, a))
      return { differencePp: -differencePp, lowPp: -highPp, highPp: -lowPp, ...tested };
  }
  return null;
}

/** `-0.42 [-1.10, 0.30], p = 0.014, adjusted 0.214`. */
export function differenceText(difference: EceDifference): string {
  const { value, interval, p } = differenceParts(difference);
  return `${value} ${interval}, ${p}`;
}

/** `-0.42`, `[-1.10, 0.30]` and `p = 0.014, adjusted 0.214`. */
export function differenceParts(difference: EceDifference) {
  const { differencePp, lowPp, highPp } = difference;
  return {
    value: formatSigned(differencePp, 2),
    interval: `[${formatFixed(lowPp)}, ${formatFixed(highPp)}]`,
    p: pText(difference),
  };
}

/** One line: every label-free method against DACA on average over the targets; null where nothing was compared. */
export function differenceNote(table: PaperTable): string | null {
  const differences = differencesFromDaca(table);
  if (differences === null) return null;
  const parts = zip(table.columns, differences).flatMap(([{ label }, difference]) =>
    difference === null ? [] : [`${label} ${differenceText(difference)}`],
  );
  const resamples = table.comparisons[0]?.resamples;
  return `Difference from DACA in pp, mean over these targets, with 95 % interval on new examples, p and p adjusted for all pairs (${resamples} resamples with refitted temperatures): ${parts.join('; ')}.`;
}

/** Per column its mean ECE over the targets less DACA's; null where nothing was compared. */
export function differencesFromDaca(table: PaperTable): (EceDifference | null)[] | null {
  const daca = table.columns.find((column) => column.method === 'daca');
  if (daca === undefined) return null;
  const differences = table.columns.map((column) => eceDifference(table, onlyTarget(table), column, daca));
  return differences.every((difference) => difference === null) ? null : differences;
}

/** The target of a table with one row, whose mean over targets is its own; null for any other table. */
export function onlyTarget({ rows }: PaperTable): string | null {
  const [first] = rows;
  return first !== undefined && rows.length === 1 ? first.target : null;
}

/** In older files no p-value of B resamples is below 2 / (B + 1), so that one stands for "at most". */
function pText({ pValue, pValueHolm, resamples }: EceDifference): string {
  if (pValueHolm !== null)
    return pValue < 0.001 && pValueHolm < 0.001
      ? 'p < 0.001, adjusted too'
      : `p ${pValue < 0.001 ? '<' : '='} ${formatFixed(Math.max(pValue, 0.001), 3)}, adjusted ${pValueHolm < 0.001 ? '< 0.001' : formatFixed(pValueHolm, 3)}`;
  const least = 2 / (resamples + 1);
  return `p ${pValue <= least * (1 + 1e-9) ? '≤' : '='} ${formatFixed(pValue, least < 0.001 ? 4 : 3)}`;
}

function same(a: MethodOfColumn, b: MethodOfColumn): boolean {
  return a.method === b.method && a.combinationSize === b.combinationSize;
}
