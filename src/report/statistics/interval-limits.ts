import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodKey } from '../../results/method-label.js';
import type { PaperTable } from '../table/paper-table.js';

/** What the bins of a cell show that its interval of the ECE may not be made for. */
export type IntervalLimit = 'sure' | 'one-bin';

/** Marks behind an interval, and what they say; the numbers are those of bench/inference/README.md. */
export const INTERVAL_LIMITS: Readonly<Record<IntervalLimit, { readonly mark: string; readonly meaning: string }>> = {
  sure: {
    mark: '†',
    meaning:
      'more than half of the answers have a confidence of 0.9 or more. Where the gap changes its sign among such answers, simulated intervals of level 0.95 held the true ECE in 0.84 of data sets at worst, and those of the smooth ECE in 0.81 of calibrated ones',
  },
  'one-bin': {
    mark: '‡',
    meaning:
      'one bin with at most a quarter of the answers makes at least half of the measured error. Simulated intervals of level 0.95 held the true ECE in 0.90 of such data sets at worst, since they begin too high',
  },
};

type Bins = Diagnostics['reliability'][number]['bins'];

const SURE = 0.9;
/** Edges of bins are multiples of 1 / B, which round. */
const ROUNDING = 1e-9;

/** What the reliability bins show, of all splits together; none where the simulations found no limit. */
export function limitsOf(bins: Bins): IntervalLimit[] {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  const shareOf = (chosen: Bins) => chosen.reduce((sum, { count }) => sum + count, 0) / total;
  const errorOf = ({ count, accuracy, confidence }: Bins[number]) =>
    accuracy === null || confidence === null ? 0 : count * Math.abs(confidence - accuracy);
  const error = bins.reduce((sum, bin) => sum + errorOf(bin), 0);
  const limits: IntervalLimit[] = [];
  if (shareOf(bins.filter(({ lower }) => lower >= SURE - ROUNDING)) > 1 / 2) limits.push('sure');
  if (bins.some((bin) => error > 0 && 2 * errorOf(bin) >= error && 4 * bin.count <= total)) limits.push('one-bin');
  return limits;
}

/** The limits of every cell of a table that has some, by target and key of the column. */
export function intervalLimits(
  { dataset }: Pick<PaperTable, 'dataset'>,
  { reliability }: Diagnostics,
): (target: string, columnKey: string) => readonly IntervalLimit[] {
  const known = new Map(
    reliability
      .filter((each) => each.dataset === dataset)
      .map(({ target, method, combinationSize, bins }): [string, readonly IntervalLimit[]] => [
        JSON.stringify([target, methodKey(method, combinationSize)]),
        limitsOf(bins),
      ]),
  );
  return (target, columnKey) => known.get(JSON.stringify([target, columnKey])) ?? [];
}

/** One sentence for each kind of limit that some cell of the table has. */
export function limitNotes(table: PaperTable, diagnostics: Diagnostics): string[] {
  const limits = intervalLimits(table, diagnostics);
  const found = new Set(table.rows.flatMap(({ target }) => table.columns.flatMap(({ key }) => limits(target, key))));
  return [...found].sort().map((limit) => {
    const { mark, meaning } = INTERVAL_LIMITS[limit];
    return `${mark} The interval may be too short: ${meaning}.`;
  });
}
