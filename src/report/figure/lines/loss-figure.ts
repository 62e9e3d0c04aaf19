import type { Diagnostics } from '../../../results/diagnostics-schema.js';
import { methodLabel } from '../../../results/method-label.js';
import { figurePath } from '../../text/file-names.js';
import { formatSignificant } from '../../text/format-number.js';
import { plainText } from '../../text/plain-text.js';
import type { ReportFigure } from '../../text/report-file.js';
import { idOf } from '../figure-frame.js';
import { methodLook } from '../mark.js';
import { drawnText, lineFigure } from './line-figure.js';
import type { Series } from './line-panel.js';

type Loss = NonNullable<Diagnostics['loss']>[number];

/** The objective of every KL fit over beta, its minimum marked; an infinite temperature has it at beta = 0. */
export function lossFigures({ loss = [], notes }: Diagnostics): ReportFigure[] {
  return [...new Set(loss.map(({ dataset }) => dataset))].map((dataset) => {
    const own = loss.filter((row) => row.dataset === dataset);
    const targets = [...new Set(own.map(({ target }) => target))];
    const path = figurePath('loss', dataset);
    const title = `Loss over β on ${plainText(dataset)}`;
    const infinite = own.filter(({ temperatureKind }) => temperatureKind === 'infinite');
    const alt = `${altOf(own)} ${infinite.length === 0 ? 'Every curve has its minimum at a finite temperature.' : `${infinite.length} of ${own.length} curves only rise: ${infinite.map(nameOf).join(', ')}; their minimum is beta = 0, an infinite temperature.`}`;
    const small = targets.map((target) => {
      const rows = own.filter((row) => row.target === target);
      return { title: plainText(target), series: rows.map((row) => seriesOf(row, windowOf(rows))) };
    });
    const svg = lineFigure({
      id: idOf(path),
      title,
      alt: `${alt}${drawnText(small)}`,
      xTick: (x) => String(Number(x.toPrecision(2))),
      xLabel: 'β = 1/τ, from 0',
      yLabel: 'L(β) around its minimum, KL to the own base in nats',
      large: null,
      small,
      largeY: null,
      smallY: null,
    });
    return { kind: 'loss', dataset, target: null, path, title, alt, note: notes?.loss, svg, table: tableOf(own) };
  });
}

/** What a panel shows: the valleys of its curves, up to their height at beta = 0. */
interface Window {
  readonly right: number;
  readonly top: number;
}

/** How much of a curve that only rises the window shows. */
const SHARE_OF_RISE = 0.1;

function windowOf(rows: readonly Loss[]): Window {
  const tops = rows.map(({ temperatureKind, losses, loss }) => {
    const [first = loss] = losses;
    return temperatureKind === 'finite' ? first : loss + SHARE_OF_RISE * (Math.max(...losses) - loss);
  });
  const top = Math.max(...tops);
  const ends = rows.map(({ losses, step, inverseTemperature }) => {
    const beyond = losses.findIndex((y, i) => y > top && i * step > inverseTemperature);
    return step * (beyond === -1 ? losses.length - 1 : beyond);
  });
  return { top, right: Math.max(...ends) };
}

/** The points of a curve below the top of the window, with the points where it crosses that. */
function inside({ losses, step }: Loss, { top, right }: Window): Series['points'] {
  return losses.flatMap((y, i) => {
    if (i * step > right + 1e-9) return [];
    const before = losses[i - 1];
    const here = { x: i * step, y: y > top ? null : y };
    if (before === undefined || before > top === y > top) return [here];
    const crossing = { x: (i - 1 + (top - before) / (y - before)) * step, y: top };
    return [crossing, here];
  });
}

function seriesOf(row: Loss, window: Window): Series {
  const { method, combinationSize, temperatureKind, inverseTemperature, loss } = row;
  const label = plainText(methodLabel(method, combinationSize));
  const infinite = temperatureKind === 'infinite';
  return {
    label,
    look: methodLook(method),
    markers: false,
    points: inside(row, window),
    optimum: {
      x: inverseTemperature,
      y: loss,
      limit: infinite,
      slope: infinite ? -row.weightedBoundaryMargin : 0,
      hint: infinite
        ? `${label}: least at β = 0, τ = ∞; slope there ${formatSignificant(-row.weightedBoundaryMargin, 3)}`
        : `${label}: β* = ${formatSignificant(inverseTemperature, 3)}, τ* = ${formatSignificant(1 / inverseTemperature)}, loss ${formatSignificant(loss, 3)}`,
      note: infinite ? 'τ = ∞' : null,
    },
  };
}

function altOf(rows: readonly Loss[]): string {
  const finite = rows.filter(({ temperatureKind }) => temperatureKind === 'finite');
  const range = (values: readonly number[]) =>
    `${formatSignificant(Math.min(...values), 2)} to ${formatSignificant(Math.max(...values), 2)}`;
  const optima = finite.length === 0 ? '' : ` Finite minima at beta ${range(finite.map((r) => r.inverseTemperature))}.`;
  return `Loss L(beta) of ${[...new Set(rows.map((row) => methodLabel(row.method, row.combinationSize)))].join(', ')} for every target, seed ${rows[0]?.seed}.${optima}`;
}

function nameOf({ target, method, combinationSize }: Loss): string {
  return `${plainText(target)} ${methodLabel(method, combinationSize)}`;
}

/** A row per curve: its minimum, then the loss at 0, 1, 2 ... steps of beta. */
function tableOf(rows: readonly Loss[]): ReportFigure['table'] {
  const steps = Array.from({ length: Math.max(...rows.map(({ losses }) => losses.length)) }, (_, i) => i);
  return {
    columns: [
      'target',
      'method',
      'temperatureKind',
      'seed',
      'betaOfMinimum',
      'minimum',
      'weightedBoundaryMargin',
      'step',
      ...steps.map((i) => `lossAt${i}Steps`),
    ],
    rows: rows.map((row) => [
      row.target,
      methodLabel(row.method, row.combinationSize),
      row.temperatureKind,
      row.seed,
      row.inverseTemperature,
      row.loss,
      row.weightedBoundaryMargin,
      row.step,
      ...steps.map((i) => row.losses[i] ?? null),
    ]),
  };
}
