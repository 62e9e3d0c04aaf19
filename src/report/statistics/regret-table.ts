import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodKey } from '../../results/method-label.js';
import type { PaperTable } from '../table/paper-table.js';
import { formatFixed, NOT_AVAILABLE } from '../text/format-number.js';
import type { StatisticTable } from './statistic-table.js';

type Regret = NonNullable<Diagnostics['regret']>[number];

/** How far every temperature is from the best ones of the evaluation side; null where the run has no such list. */
export function regretTable(table: PaperTable, { regret = [], notes }: Diagnostics): StatisticTable | null {
  const own = regret.filter(({ dataset }) => dataset === table.dataset);
  const columns = table.columns.filter(({ key }) => own.some((row) => keyOf(row) === key));
  if (columns.length === 0) return null;
  const names = [...table.rows.map(({ target }) => target), ...(table.rows.length > 1 ? [null] : [])];
  return {
    title: 'Regret: how far from the best temperature',
    lead: `${notes?.regret ?? ''} Cells: regret in ECE (temperature / ECE-best one); regret in NLL (temperature / NLL-best one).`.trim(),
    head: ['Target', ...columns.map(({ label }) => label)],
    rows: names.map((target) => [
      target ?? 'All targets',
      ...columns.map(({ key }) => cellText(own.find((row) => row.target === target && keyOf(row) === key))),
    ]),
    note: null,
  };
}

function keyOf({ method, combinationSize }: Regret): string {
  return methodKey(method, combinationSize);
}

function cellText(row: Regret | undefined): string {
  if (row === undefined) return NOT_AVAILABLE;
  const infinite = row.infinite > 0 ? ` ∞ ${row.infinite}/${row.fits}` : '';
  const ece = `${formatFixed(row.eceRegretPp)} (${times(row.eceTemperatureRatio)}${infinite})`;
  return row.nllRegret === null ? ece : `${ece}; ${formatFixed(row.nllRegret, 4)} (${times(row.nllTemperatureRatio)})`;
}

function times(ratio: number | null): string {
  return ratio === null ? NOT_AVAILABLE : `× ${formatFixed(ratio)}`;
}
