import type { Diagnostics } from '../../../results/diagnostics-schema.js';
import type { Verdict } from '../../../results/verdict-schema.js';
import { formatFixed, formatSignificant } from '../../text/format-number.js';
import { plainText } from '../../text/plain-text.js';
import type { ReportFigure } from '../../text/report-file.js';
import { reliabilityTable } from './reliability-figures.js';
import type { Reliability } from './reliability-plot.js';
import { reliabilityRow } from './reliability-row.js';

type Panels = ReadonlyArray<{ readonly panel: Reliability; readonly title: string }>;

/** A target as it is and with the temperature of its verdict; null where one of them was not measured. */
export function beforeAfter(
  { reliability }: Pick<Diagnostics, 'reliability'>,
  { dataset, target, use }: Verdict,
): Panels | null {
  const find = (method: string | null, size: number | null): Reliability | undefined =>
    reliability.find(
      (row) =>
        row.dataset === dataset && row.target === target && row.method === method && row.combinationSize === size,
    );
  const [before, after] = [find('vanilla', null), find(use?.method ?? null, use?.combinationSize ?? null)];
  if (before === undefined) return null;
  if (after === undefined || use === null) return [{ panel: before, title: 'As it is' }];
  const tau = use.temperature === null ? '' : `, τ ${formatSignificant(use.temperature, 3)}`;
  return [
    { panel: before, title: 'Before' },
    { panel: after, title: `After: ${use.label}${tau}` },
  ];
}

/** Two large reliability diagrams side by side: a model as it is, and calibrated. */
export function beforeAfterFigure(diagnostics: Diagnostics, verdict: Verdict | null): ReportFigure[] {
  const panels = verdict && beforeAfter(diagnostics, verdict);
  if (verdict === null || panels === null) return [];
  const { dataset, target } = verdict;
  const title = `${plainText(target)} on ${plainText(dataset)}, before and after`;
  const said = panels.map(
    (each) => `${each.title}: ECE ${formatFixed(100 * (each.panel.eceMean ?? each.panel.ece))} pp`,
  );
  const alt = `Reliability diagrams: accuracy per bin of confidence. ${said.join('. ')}.`;
  return [
    {
      kind: 'before-after',
      dataset,
      target,
      path: 'figures/before-after.svg',
      title,
      alt,
      note: diagnostics.notes?.reliability,
      svg: reliabilityRow({ id: 'before-after', title, alt, size: 232 }, panels),
      table: reliabilityTable(panels.map(({ panel }) => panel)),
    },
  ];
}
