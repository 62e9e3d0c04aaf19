import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodLabel } from '../../results/method-label.js';
import { figurePath } from '../text/file-names.js';
import { formatPercent } from '../text/format-number.js';
import { plainText } from '../text/plain-text.js';
import type { ReportFigure } from '../text/report-file.js';
import { idOf } from './figure-frame.js';
import { type LinePanel, linePanels, type Series } from './line-panels.js';
import { methodLook } from './mark.js';

type Curve = NonNullable<Diagnostics['riskCoverage']>[number];

/** Before and after calibration; of several M the smallest. */
const METHODS = ['vanilla', 'supportcal'];

/**
 * Per data set the errors among the surest answers of every target, before and after, with bands of simultaneous
 * intervals.
 */
export function riskFigures({ riskCoverage = [], notes }: Diagnostics): ReportFigure[] {
  return [...new Set(riskCoverage.map(({ dataset }) => dataset))].map((dataset) => {
    const curves = shownOf(riskCoverage.filter((curve) => curve.dataset === dataset));
    const path = figurePath('risk-coverage', dataset);
    const title = `Errors among the surest answers on ${plainText(dataset)}`;
    const spoken = curves.map((curve) => {
      const half = curve.points.find(({ coverage }) => coverage >= 0.5 - 1e-9);
      return `${nameOf(curve)} ${formatPercent(half?.risk ?? null)} of the surest half, ${formatPercent(curve.points.at(-1)?.risk ?? null)} of all`;
    });
    const alt = `Share of wrong answers in per cent by the share of answers that is given, surest first: ${spoken.join('; ')}. Bands: intervals that hold at all points of a curve at once, level 0.95.`;
    const svg = linePanels({
      id: idOf(path),
      title,
      alt,
      sharedY: true,
      fromZero: true,
      xLabel: 'share of the answers that is given, surest first',
      yLabel: 'wrong answers in per cent, with 95 % bands',
      xTick: (x) => `${Math.round(100 * x)} %`,
      panels: panelsOf(curves),
    });
    return {
      kind: 'risk-coverage',
      dataset,
      target: null,
      path,
      title,
      alt,
      note: notes?.riskCoverage,
      svg,
      table: tableOf(curves),
    };
  });
}

function shownOf(curves: readonly Curve[]): Curve[] {
  return [...new Set(curves.map(({ target }) => target))].flatMap((target) =>
    METHODS.flatMap((method) =>
      curves
        .filter((curve) => curve.target === target && curve.method === method)
        .sort((a, b) => (a.combinationSize ?? 0) - (b.combinationSize ?? 0))
        .slice(0, 1),
    ),
  );
}

function panelsOf(curves: readonly Curve[]): LinePanel[] {
  return [...new Set(curves.map(({ target }) => target))].map((target) => ({
    title: plainText(target),
    series: curves.filter((curve) => curve.target === target).map(seriesOf),
  }));
}

function seriesOf({ method, combinationSize, points }: Curve): Series {
  return {
    label: plainText(methodLabel(method, combinationSize)),
    look: methodLook(method),
    points: points.map(({ coverage, risk, low, high }) => ({
      x: coverage,
      y: 100 * risk,
      band: [100 * low, 100 * high],
    })),
  };
}

function tableOf(curves: readonly Curve[]): ReportFigure['table'] {
  const columns = ['target', 'method', 'coverage', 'count', 'risk', 'low', 'high'];
  const rows = curves.flatMap((curve) =>
    curve.points.map(({ coverage, count, risk, low, high }) => [
      curve.target,
      methodLabel(curve.method, curve.combinationSize),
      coverage,
      count,
      risk,
      low,
      high,
    ]),
  );
  return { columns, rows };
}

function nameOf({ target, method, combinationSize }: Curve): string {
  return `${plainText(target)}, ${plainText(methodLabel(method, combinationSize))}`;
}
