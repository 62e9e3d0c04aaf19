import { methodKey, methodLabel } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import { figurePath } from '../text/file-names.js';
import { formatFixed } from '../text/format-number.js';
import { plainText } from '../text/plain-text.js';
import type { ReportFigure } from '../text/report-file.js';
import { idOf } from './figure-frame.js';
import { methodLook } from './mark.js';
import { type ChartRow, rowChart } from './row-chart.js';

/**
 * Values further apart than this are on a logarithmic axis: methods of a few points would be one heap beside vanilla.
 * One kind for all data sets.
 */
const WIDE = 8;

/** Per data set the ECE of every method: the mean over targets, and each target with its standard error over seeds. */
export function eceFigures({ macro, summary, protocol }: Results): ReportFigure[] {
  const values = [...macro, ...summary].flatMap(({ eceMeanPp }) => (eceMeanPp === null ? [] : [eceMeanPp]));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const log = least > 0 && most / least > WIDE;
  return [...new Set(macro.map(({ dataset }) => dataset))].flatMap((dataset) => {
    const means = macro.filter((row) => row.dataset === dataset && row.eceMeanPp !== null);
    if (means.length === 0) return [];
    const targets = summary.filter((row) => row.dataset === dataset);
    const path = figurePath('ece', dataset);
    const title = `ECE by method on ${plainText(dataset)}`;
    const spoken = means.map((row) => `${labelOf(row)} ${formatFixed(row.eceMeanPp)}`).join(', ');
    const spread = means.some(({ bases, eceLowPp }) => bases !== null && eceLowPp !== null)
      ? ' Whiskers of the means: 95 % interval for targets of other bases, drawn like these.'
      : '';
    const single = means.every(({ targets: behind }) => behind === 1);
    const what = single ? 'ECE' : 'Mean ECE over targets';
    const marks = single
      ? ''
      : `${spread} Small marks: each target, mean ± standard error over ${protocol.seeds.length} seeds.`;
    const alt = `${what} in percentage points: ${spoken}.${marks} Oracle TS is fitted on labels.`;
    const xLabel = `ECE in percentage points${log ? ', logarithmic' : ''}, lower is better`;
    const svg = rowChart({
      id: idOf(path),
      title,
      alt,
      xLabel,
      scale: log ? 'log' : 'linear',
      rows: means.map((row) => rowOf(row, targets, log ? least / 2 : 0)),
      legend: [],
    });
    const columns = ['method', 'target', 'eceMean_pp', 'eceSe_pp', 'eceLow_pp', 'eceHigh_pp'];
    const rows = [
      ...means.map((row) => [labelOf(row), 'mean over targets', row.eceMeanPp, null, row.eceLowPp, row.eceHighPp]),
      ...targets.map((row) => [labelOf(row), row.target, row.eceMeanPp, row.eceSePp, row.eceLowPp, row.eceHighPp]),
    ];
    return [{ kind: 'ece', dataset, target: null, path, title, alt, svg, table: { columns, rows } }];
  });
}

type Macro = Results['macro'][number];

function rowOf(row: Macro, targets: Results['summary'], floor: number): ChartRow {
  const look = methodLook(row.method);
  const key = methodKey(row.method, row.combinationSize);
  const own = targets.filter((each) => methodKey(each.method, each.combinationSize) === key);
  const small = own.flatMap(({ target, eceMeanPp: mean, eceSePp: error }) => {
    if (mean === null) return [];
    const hint = `${plainText(target)}: ${formatFixed(mean)} ± ${formatFixed(error)} pp`;
    const whisker = error === null ? {} : { low: Math.max(floor, mean - error), high: mean + error };
    return [{ x: mean, ...whisker, look: { ...look, color: 'histogram' as const, shape: 0 }, weight: 0.45, hint }];
  });
  const [sole = row] = row.targets === 1 ? own : [];
  const interval = sole.eceLowPp === null ? {} : { low: Math.max(floor, sole.eceLowPp), high: sole.eceHighPp };
  const hint = `${labelOf(row)}, ${row.targets === 1 ? '' : `mean over ${row.targets} targets: `}${formatFixed(row.eceMeanPp)} pp`;
  return {
    label: labelOf(row),
    lines: [
      [{ x: row.eceMeanPp, ...interval, look: { ...look, shape: 3 }, weight: 2, hint }],
      ...(row.targets === 1 ? [] : pairs(small)),
    ],
  };
}

/** Targets over at most three lines, so that their whiskers stay apart. */
function pairs<T>(dots: readonly T[]): T[][] {
  const lines = Math.min(3, dots.length);
  return Array.from({ length: lines }, (_, n) => dots.filter((_dot, i) => i % lines === n));
}

function labelOf({ method, combinationSize }: Pick<Macro, 'method' | 'combinationSize'>): string {
  return plainText(methodLabel(method, combinationSize));
}
