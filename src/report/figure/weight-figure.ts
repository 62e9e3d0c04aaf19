import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodLabel } from '../../results/method-label.js';
import { figurePath } from '../text/file-names.js';
import { formatFixed } from '../text/format-number.js';
import { plainText } from '../text/plain-text.js';
import type { ReportFigure } from '../text/report-file.js';
import { idOf } from './figure-frame.js';
import { linePanels } from './line-panels.js';
import { methodLook } from './mark.js';

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
    const svg = linePanels({
      id: idOf(path),
      title,
      alt,
      sharedY: false,
      fromZero: true,
      xTick: (x) => String(x),
      xLabel: 'percentile of the boundary margin m within D',
      yLabel: 'mean weight w',
      panels: (targets.length === 2 ? targets.filter((target) => target !== null) : targets).map((target) => ({
        title: target === null ? 'All targets' : plainText(target),
        series: own
          .filter((row) => row.target === target)
          .map(({ combinationSize, bins }) => ({
            label: methodLabel('supportcal', combinationSize),
            look: methodLook('supportcal', sizes.indexOf(combinationSize)),
            points: bins.map(({ lower, upper, meanWeight }) => ({ x: (lower + upper) / 2, y: meanWeight })),
          })),
      })),
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
