import { groupBy } from '../../../contract/group-by.js';
import type { Diagnostics } from '../../../results/diagnostics-schema.js';
import { methodLabel } from '../../../results/method-label.js';
import { figurePath } from '../../text/file-names.js';
import { formatFixed } from '../../text/format-number.js';
import { plainText } from '../../text/plain-text.js';
import type { ReportFigure } from '../../text/report-file.js';
import { idOf } from '../figure-frame.js';
import type { Reliability } from './reliability-plot.js';
import { reliabilityRow } from './reliability-row.js';

const PANELS = ['own-base', 'vanilla', 'daca', 'supportcal', 'oracle-ts'];

/** One reliability diagram per data set and target: own base, vanilla, DACA, SupportCal (smallest M), oracle. */
export function renderReliabilityFigures(diagnostics: Diagnostics): ReportFigure[] {
  return reliabilityGroups(diagnostics).flatMap((rows) =>
    reliabilityFigure(panelsOf(rows), diagnostics.notes?.reliability),
  );
}

/** The diagrams of each data set and target. */
export function reliabilityGroups({ reliability }: Pick<Diagnostics, 'reliability'>): Reliability[][] {
  return [...groupBy(reliability, ({ dataset, target }) => JSON.stringify([dataset, target])).values()];
}

/** The methods of a figure in their fixed order; of several M the smallest. */
function panelsOf(rows: readonly Reliability[]): Reliability[] {
  return PANELS.flatMap((method) => smallestSize(rows, method) ?? []);
}

/** The diagram of a method, and of several M that of the smallest. */
function smallestSize(rows: readonly Reliability[], method: string): Reliability | undefined {
  const own = rows.filter((row) => row.method === method);
  return own.sort((a, b) => (a.combinationSize ?? 0) - (b.combinationSize ?? 0))[0];
}

function reliabilityFigure(panels: readonly Reliability[], note: string | undefined): ReportFigure[] {
  const [first] = panels;
  if (first === undefined) return [];
  const { dataset, target } = first;
  const path = figurePath('reliability', dataset, target);
  const title = `Reliability of ${plainText(target)} on ${plainText(dataset)}, all seeds pooled`;
  const eces = panels
    .map(
      (panel) =>
        `${panelTitle(panel)} ${formatFixed(100 * (panel.eceMean ?? panel.ece))} pp (drawn bins ${formatFixed(100 * panel.ece)})`,
    )
    .join(', ');
  const alt = `Accuracy per confidence bin, evaluation examples of all seeds pooled, where one example counts once per split that measures it. ECE as in the table, the mean over splits; that of the pooled bins drawn here is at most as large: ${eces}.`;
  const titled = panels.map((panel) => ({ panel, title: panelTitle(panel) }));
  const svg = reliabilityRow({ id: idOf(path), title, alt, size: 184 }, titled);
  return [{ kind: 'reliability', dataset, target, path, title, alt, note, svg, table: reliabilityTable(panels) }];
}

/** The filled bins of every panel. */
export function reliabilityTable(panels: readonly Reliability[]): ReportFigure['table'] {
  const columns = ['method', 'lower', 'upper', 'count', 'accuracy', 'accuracyLow', 'accuracyHigh', 'confidence', 'gap'];
  const rows = panels.flatMap((panel) =>
    panel.bins.flatMap((bin) => {
      const { lower, upper, count, accuracy, accuracyLow = null, accuracyHigh = null, confidence } = bin;
      if (count === 0) return [];
      const gap = bin.overconfidence;
      return [[panelTitle(panel), lower, upper, count, accuracy, accuracyLow, accuracyHigh, confidence, gap]];
    }),
  );
  return { columns, rows };
}

function panelTitle(panel: Reliability): string {
  return plainText(methodLabel(panel.method, panel.combinationSize));
}
