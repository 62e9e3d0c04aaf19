import { methodKey, methodLabel } from '../../results/method-label.js';
import type { Results } from '../../results/results-schema.js';
import type { RunResult } from '../../results/run-schema.js';
import { figurePath } from '../text/file-names.js';
import { formatSignificant } from '../text/format-number.js';
import { plainText } from '../text/plain-text.js';
import type { ReportFigure } from '../text/report-file.js';
import { idOf } from './figure-frame.js';
import { type Look, methodLook } from './mark.js';
import { rowChart } from './row-chart.js';

const METHODS = ['daca', 'supportcal', 'oracle-ts'];

/** Per data set the temperature of every target and seed under DACA, SupportCal at every M, and the oracle. */
export function temperatureFigures({ runs, protocol }: Results): ReportFigure[] {
  return [...new Set(runs.map(({ dataset }) => dataset))].flatMap((dataset) => {
    const own = runs.filter((run) => run.dataset === dataset && METHODS.includes(run.method));
    if (!own.some(({ temperatureKind }) => temperatureKind !== 'none')) return [];
    const series = seriesOf(own);
    const targets = [...new Set(own.map(({ target }) => target))];
    const infinite = own.filter(({ temperatureKind }) => temperatureKind === 'infinite').length;
    const none = own.filter(({ temperatureKind }) => temperatureKind === 'none').length;
    const path = figurePath('temperature', dataset);
    const title = `Temperatures by seed: ${plainText(dataset)}`;
    const alt = `Temperature of every target for ${protocol.seeds.length} seeds, logarithmic axis. ${infinite} fits of ${own.length} have their optimum at infinity (hollow marks at the right), ${none} have no fit and no mark.`;
    const svg = rowChart({
      id: idOf(path),
      title,
      alt,
      xLabel: 'Temperature τ, logarithmic',
      scale: 'log',
      lane: 'τ = ∞',
      rows: targets.map((target) => ({
        label: plainText(target),
        lines: [...series.values()].map(({ key, look, label }) =>
          own
            .filter((run) => run.target === target && keyOf(run) === key && run.temperatureKind !== 'none')
            .map(({ temperature, seed }) => ({
              x: temperature,
              look,
              hint: `${label}, seed ${seed}: τ = ${temperature === null ? '∞' : formatSignificant(temperature)}`,
            })),
        ),
      })),
      legend: [...series.values()].map(({ label, look }) => ({ label, look, line: false })),
    });
    const columns = ['target', 'method', 'seed', 'temperature', 'temperatureKind'];
    const rows = own.map((run) => [run.target, labelOf(run), run.seed, run.temperature, run.temperatureKind]);
    return [{ kind: 'temperature', dataset, target: null, path, title, alt, svg, table: { columns, rows } }];
  });
}

/** The columns of the figure in fixed order, M ascending. */
function seriesOf(runs: readonly RunResult[]): { key: string; label: string; look: Look }[] {
  return METHODS.flatMap((method) => {
    const sizes = [...new Set(runs.filter((run) => run.method === method).map((run) => run.combinationSize))];
    sizes.sort((a, b) => (a ?? 0) - (b ?? 0));
    return sizes.map((combinationSize, i) => ({
      key: methodKey(method, combinationSize),
      label: plainText(methodLabel(method, combinationSize)),
      look: methodLook(method, i),
    }));
  });
}

function keyOf({ method, combinationSize }: RunResult): string {
  return methodKey(method, combinationSize);
}

function labelOf({ method, combinationSize }: RunResult): string {
  return methodLabel(method, combinationSize);
}
