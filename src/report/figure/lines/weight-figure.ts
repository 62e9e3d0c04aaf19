import type { Diagnostics } from '../../../results/diagnostics-schema.js';
import { methodLabel } from '../../../results/method-label.js';
import { figurePath } from '../../text/file-names.js';
import { formatFixed } from '../../text/format-number.js';
import { plainText } from '../../text/plain-text.js';
import type { ReportFigure } from '../../text/report-file.js';
import { idOf } from '../figure-frame.js';
import { methodLook } from '../mark.js';
import { drawnText, lineFigure } from './line-figure.js';
import { fromZero } from './line-panel.js';

/** App. E: the mean weight of an example of D by the percentile of its boundary margin. */
export function weightFigures({ weightByMargin = [] }: Diagnostics): ReportFigure[] {
  const measured = weightByMargin.filter(({ bins }) => bins.some(({ meanWeight }) => meanWeight !== null));
  return [...new Set(measured.map(({ dataset }) => dataset))].map((dataset) => {
    const own = measured.filter((row) => row.dataset === dataset);
    const sizes = [...new Set(own.map(({ combinationSize }) => combinationSize))].sort((a, b) => a - b);
    const targets = [...new Set(own.map(({ target }) => target))];
    const path = figurePath('weight-margin', dataset);
    const title = `Weight by boundary margin on ${plainText(dataset)}`;
    const ends = own
      .filter(({ target }) => target === null)
      .map(({ combinationSize, bins }) => {
        const [low, high] = [bins.at(0)?.meanWeight ?? null, bins.at(-1)?.meanWeight ?? null];
        return `M = ${combinationSize} from ${formatFixed(low, 3)} (smallest margins) to ${formatFixed(high, 3)} (largest)`;
      });
    const alt = `Mean weight of examples of D by percentile of their boundary margin, all targets pooled: ${ends.join('; ')}.`;
    const panels = targets.map((target) => ({
      target,
      title: target === null ? 'All targets' : plainText(target),
      series: own
        .filter((row) => row.target === target)
        .map(({ combinationSize, bins }) => ({
          label: methodLabel('supportcal', combinationSize),
          look: methodLook('supportcal', sizes.indexOf(combinationSize)),
          points: bins.map(({ lower, upper, meanWeight }) => ({ x: (lower + upper) / 2, y: meanWeight })),
        })),
    }));
    const small = panels.filter(({ target }) => target !== null);
    const large = small.length === 1 ? null : (panels.find(({ target }) => target === null) ?? null);
    const axis = fromZero([1]);
    const svg = lineFigure({
      id: idOf(path),
      title: `Weight by margin: ${plainText(dataset)}`,
      alt: `${alt}${drawnText(small)}`,
      xTick: (x) => String(x),
      xLabel: 'percentile of the boundary margin m within D',
      yLabel: 'mean weight w',
      large,
      small,
      largeY: axis,
      smallY: axis,
    });
    const columns = ['target', 'M', 'lower', 'upper', 'count', 'meanWeight', 'meanMargin'];
    const rows = own.flatMap(({ target, combinationSize, bins }) =>
      bins.map((bin) => [
        target ?? 'all targets',
        combinationSize,
        bin.lower,
        bin.upper,
        bin.count,
        bin.meanWeight,
        bin.meanMargin,
      ]),
    );
    return { kind: 'weight-margin', dataset, target: null, path, title, alt, svg, table: { columns, rows } };
  });
}
