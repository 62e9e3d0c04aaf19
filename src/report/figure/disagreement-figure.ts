import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { figurePath } from '../text/file-names.js';
import { formatCount, formatPercent } from '../text/format-number.js';
import { plainText } from '../text/plain-text.js';
import type { ReportFigure } from '../text/report-file.js';
import { idOf } from './figure-frame.js';
import type { Look } from './mark.js';
import { rowChart } from './row-chart.js';

const LOOK: Look = { color: 'blue', dash: 'none', shape: 0 };

/** App. A: how often each target and its own base answer differently, with the median over targets. */
export function disagreementFigures({ disagreement = [], disagreementMedians = [] }: Diagnostics): ReportFigure[] {
  return disagreementMedians.flatMap(({ dataset, median }) => {
    const rows = disagreement.filter((row) => row.dataset === dataset && row.examples > 0);
    rows.sort((a, b) => b.rate - a.rate);
    const [first, last] = [rows.at(0), rows.at(-1)];
    if (first === undefined || last === undefined) return [];
    const path = figurePath('disagreement', dataset);
    const title = `Disagreement with the base: ${plainText(dataset)}`;
    const alt = `Share of examples on which target and own base answer differently: median ${formatPercent(median)} %, from ${formatPercent(last.rate)} % (${plainText(last.target)}) to ${formatPercent(first.rate)} % (${plainText(first.target)}).`;
    const svg = rowChart({
      id: idOf(path),
      title,
      alt,
      scale: 'linear',
      xLabel: 'Examples on which target and own base differ, in %',
      rows: rows.map(({ target, rate, disagreements, examples }) => ({
        label: plainText(target),
        stem: true,
        lines: [
          [
            {
              x: 100 * rate,
              look: LOOK,
              weight: 1.6,
              hint: `${plainText(target)}: ${formatCount(disagreements)} of ${formatCount(examples)} (${formatPercent(rate)} %)`,
            },
          ],
        ],
      })),
      reference: { x: 100 * median, label: `median ${formatPercent(median)} %` },
      legend: [],
    });
    const columns = ['target', 'ownBase', 'examples', 'disagreements', 'rate'];
    const table = {
      columns,
      rows: rows.map((row) => [row.target, row.ownBase, row.examples, row.disagreements, row.rate]),
    };
    return [{ kind: 'disagreement', dataset, target: null, path, title, alt, svg, table }];
  });
}
