import type { Diagnostics } from '../../results/diagnostics-schema.js';
import type { Results } from '../../results/results-schema.js';
import type { PaperTable } from '../table/paper-table.js';
import { powerTable } from './power-table.js';
import { rankTable } from './rank-table.js';
import { regretTable } from './regret-table.js';
import { riskTable } from './risk-table.js';
import type { StatisticTable } from './statistic-table.js';

/** Power, order under other measures, regret and selective prediction of one data set, as far as the run has them. */
export function statisticTables(table: PaperTable, results: Results, diagnostics: Diagnostics): StatisticTable[] {
  return [
    powerTable(table),
    rankTable(table, results),
    regretTable(table, diagnostics),
    riskTable(table, diagnostics),
  ].filter((each) => each !== null);
}
