import type { Diagnostics } from '../../../results/diagnostics-schema.js';
import { methodLabel } from '../../../results/method-label.js';
import type { CurvePoint } from '../../../results/paper-diagnostics.js';
import { figurePath } from '../../text/file-names.js';
import { formatFixed } from '../../text/format-number.js';
import { plainText } from '../../text/plain-text.js';
import type { FigureTable, ReportFigure } from '../../text/report-file.js';
import { idOf } from '../figure-frame.js';
import { type Look, methodLook } from '../mark.js';
import { drawnText, lineFigure } from './line-figure.js';
import { type Extent, fromZero, type LinePanel, type Series, valuesOf } from './line-panel.js';

interface Curve {
  readonly dataset: string;
  readonly target: string | null;
  readonly label: string;
  readonly look: Look;
  readonly points: readonly CurvePoint[];
}

interface Kind {
  readonly kind: ReportFigure['kind'];
  readonly title: string;
  readonly xLabel: string;
  readonly xTick: (x: number) => string;
  readonly curves: readonly Curve[];
}

const SAMPLE_SIZE_METHODS = ['daca', 'supportcal', 'oracle-ts'];
/** What a title says beside the name of a data set, where room is short. */
const SHORT: Readonly<Record<string, string>> = {
  reintroduction: 'Disagreement given back',
  'sample-size': 'ECE by size of the split',
  sensitivity: 'SupportCal by M',
};
const percent = (x: number) => String(Math.round(100 * x));

/** Fig. 2 and its relatives: ECE against the share of D given back, the size of the calibration split, and M. */
export function curveFigures({ reintroduction = [], sampleSize = [], sensitivity = [] }: Diagnostics): ReportFigure[] {
  return [
    ...figuresOf({
      kind: 'reintroduction',
      title: 'Giving disagreement back to the objective',
      xTick: percent,
      xLabel: 'per cent of D in the objective',
      curves: reintroduction.map(({ weights, combinationSize, ...curve }) =>
        weights === 'unit'
          ? { ...curve, label: 'Unit weights', look: methodLook('vanilla') }
          : {
              ...curve,
              label: methodLabel('supportcal', combinationSize),
              look: sizeLook(combinationSize, reintroduction),
            },
      ),
    }),
    ...figuresOf({
      kind: 'sample-size',
      title: 'ECE by size of the calibration split',
      xTick: percent,
      xLabel: 'per cent of the examples that the fit sees',
      curves: sampleSize
        .filter(({ method }) => SAMPLE_SIZE_METHODS.includes(method))
        .map(({ method, combinationSize, ...curve }) => ({
          ...curve,
          label: methodLabel(method, combinationSize),
          look: method === 'supportcal' ? sizeLook(combinationSize, sampleSize) : methodLook(method),
        })),
    }),
    ...figuresOf({
      kind: 'sensitivity',
      title: 'SupportCal by size M of the combination',
      xTick: wholeTick,
      xLabel: 'M',
      curves: sensitivity.map((curve) => ({ ...curve, label: 'SupportCal', look: methodLook('supportcal') })),
    }),
  ];
}

/** One figure per data set: the mean over targets large, every target small, on axes that all data sets share. */
function figuresOf(kind: Kind): ReportFigure[] {
  const measured = kind.curves.filter(({ points }) => points.some(({ eceMean }) => eceMean !== null));
  const datasets = [...new Set(measured.map(({ dataset }) => dataset))];
  const drawn = datasets.map((dataset) => panelsOf(measured.filter((curve) => curve.dataset === dataset)));
  const axes = {
    large: fromZero(valuesOf(drawn.flatMap(({ large }) => large ?? []))),
    small: fromZero(valuesOf(drawn.flatMap(({ small }) => small))),
  };
  return datasets.map((dataset) => figureOf(kind, dataset, axes));
}

function figureOf(
  { kind, title: about, xLabel, xTick, curves }: Kind,
  dataset: string,
  axes: Readonly<Record<'large' | 'small', Extent>>,
): ReportFigure {
  const own = curves.filter(
    (curve) => curve.dataset === dataset && curve.points.some(({ eceMean }) => eceMean !== null),
  );
  const path = figurePath(kind, dataset);
  const title = `${about} on ${plainText(dataset)}`;
  const all = own.filter(({ target }) => target === null);
  const ends = (all.length > 0 ? all : own).map(
    ({ label, points }) => `${plainText(label)} from ${pp(points.at(0))} to ${pp(points.at(-1))}`,
  );
  const banded = own.some(({ points }) => points.some(({ eceSe }) => eceSe !== null));
  const panels = panelsOf(own);
  const alt = `ECE in percentage points, ${all.length > 0 ? 'mean over targets' : 'by target'}: ${ends.join('; ')}.${banded ? ' Bands: ± one standard error over seeds.' : ''}${drawnText(panels.small)}`;
  const svg = lineFigure({
    ...panels,
    id: idOf(path),
    title: `${SHORT[kind] ?? about}: ${plainText(dataset)}`,
    alt,
    xLabel,
    xTick,
    yLabel: `ECE in pp${banded ? ', ± SE over seeds' : ''}`,
    largeY: axes.large,
    smallY: axes.small,
  });
  return { kind, dataset, target: null, path, title, alt, svg, table: tableOf(own) };
}

function panelsOf(curves: readonly Curve[]): { readonly large: LinePanel | null; readonly small: LinePanel[] } {
  const targets = [...new Set(curves.map(({ target }) => target))];
  const panels = targets.map((target) => ({
    target,
    title: target === null ? 'Mean over targets' : plainText(target),
    series: curves.filter((curve) => curve.target === target).map(seriesOf),
  }));
  const small = panels.filter(({ target }) => target !== null);
  const [large = null] = panels.filter(({ target }) => target === null);
  // The mean over one target is that target.
  return small.length === 1 ? { large: null, small } : { large, small };
}

function seriesOf({ label, look, points }: Curve): Series {
  const ordered = [...points].sort((a, b) => a.x - b.x);
  return {
    label: plainText(label),
    look,
    points: ordered.map(({ x, eceMean, eceSe }) => ({
      x,
      y: eceMean === null ? null : 100 * eceMean,
      error: eceSe === null ? null : 100 * eceSe,
    })),
  };
}

function tableOf(curves: readonly Curve[]): FigureTable {
  const columns = ['target', 'series', 'x', 'eceMean_pp', 'eceSe_pp', 'temperatureMean'];
  const rows = curves.flatMap(({ target, label, points }) =>
    points.map((point) => [
      target ?? 'mean over targets',
      label,
      point.x,
      scaled(point.eceMean),
      scaled(point.eceSe),
      point.temperatureMean,
    ]),
  );
  return { columns, rows };
}

/** Several M look different; the smallest has the look of the method. */
function sizeLook(size: number | null, rows: ReadonlyArray<{ readonly combinationSize: number | null }>): Look {
  const sizes = [...new Set(rows.map(({ combinationSize }) => combinationSize))].filter((each) => each !== null);
  return methodLook('supportcal', Math.max(0, sizes.sort((a, b) => a - b).indexOf(size ?? sizes[0] ?? 0)));
}

function scaled(fraction: number | null): number | null {
  return fraction === null ? null : 100 * fraction;
}

function pp(point: CurvePoint | undefined): string {
  const eceMean = point?.eceMean ?? null;
  return formatFixed(scaled(eceMean));
}

function wholeTick(x: number): string {
  return Number.isInteger(x) ? String(x) : '';
}
