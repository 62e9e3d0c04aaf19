import { groupBy } from '../../../contract/group-by.js';
import type { Diagnostics } from '../../../results/diagnostics-schema.js';
import { methodLabel } from '../../../results/method-label.js';
import type { Verdict } from '../../../results/verdict-schema.js';
import { figurePath } from '../../text/file-names.js';
import { formatPercent } from '../../text/format-number.js';
import { plainText } from '../../text/plain-text.js';
import type { ReportFigure } from '../../text/report-file.js';
import { idOf } from '../figure-frame.js';
import { methodLook } from '../mark.js';
import { drawnText, lineFigure } from './line-figure.js';
import { fromZero, type LinePanel, type Series, valuesOf } from './line-panel.js';

type Curve = NonNullable<Diagnostics['riskCoverage']>[number];

/**
 * Per data set the errors among the surest answers of every target, before and after, with bands of simultaneous
 * intervals.
 */
export function riskFigures({ riskCoverage = [], notes }: Diagnostics, verdicts: readonly Verdict[]): ReportFigure[] {
  const shown = shownOf(riskCoverage, verdicts);
  const shared = fromZero(valuesOf(panelsOf(shown)));
  return [...new Set(riskCoverage.map(({ dataset }) => dataset))].map((dataset) => {
    const curves = shown.filter((curve) => curve.dataset === dataset);
    const path = figurePath('risk-coverage', dataset);
    const title = `Errors among the surest answers on ${plainText(dataset)}`;
    const spoken = curves.map((curve) => {
      const half = curve.points.find(({ coverage }) => coverage >= 0.5 - 1e-9);
      return `${nameOf(curve)} ${formatPercent(half?.risk ?? null)} of the surest half, ${formatPercent(curve.points.at(-1)?.risk ?? null)} of all`;
    });
    const alt = `Share of wrong answers in per cent by the share of answers that is given, surest first: ${spoken.join('; ')}. Bands: intervals that hold at all points of a curve at once, level 0.95.`;
    const small = panelsOf(curves);
    const svg = lineFigure({
      id: idOf(path),
      title: `Errors among the surest: ${plainText(dataset)}`,
      alt: `${alt}${drawnText(small)}`,
      xLabel: 'per cent of the answers that are given, surest first',
      yLabel: 'wrong answers in per cent, with 95 % bands',
      xTick: (x) => String(Math.round(100 * x)),
      large: null,
      small,
      largeY: null,
      smallY: shared,
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

/** Every target as it is, and with the temperature of its verdict. */
function shownOf(curves: readonly Curve[], verdicts: readonly Verdict[]): Curve[] {
  return verdicts.flatMap(({ dataset, target, use }) => {
    const own = curves.filter((curve) => curve.dataset === dataset && curve.target === target);
    const calibrated = own.filter(
      ({ method, combinationSize }) => method === use?.method && combinationSize === use.combinationSize,
    );
    return [...own.filter(({ method }) => method === 'vanilla'), ...calibrated];
  });
}

function panelsOf(curves: readonly Curve[]): LinePanel[] {
  return [...groupBy(curves, ({ dataset, target }) => JSON.stringify([dataset, target])).values()].map((own) => ({
    title: plainText(own[0].target),
    series: own.map(seriesOf),
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
