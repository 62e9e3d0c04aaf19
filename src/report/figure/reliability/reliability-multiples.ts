import type { Diagnostics } from '../../../results/diagnostics-schema.js';
import type { Verdict } from '../../../results/verdict-schema.js';
import { figurePath } from '../../text/file-names.js';
import { formatFixed } from '../../text/format-number.js';
import { plainText, shortenName } from '../../text/plain-text.js';
import type { ReportFigure } from '../../text/report-file.js';
import { figureFrame, idOf, mutedText, text } from '../figure-frame.js';
import { element } from '../svg-element.js';
import { reliabilityGroups, reliabilityTable } from './reliability-figures.js';
import { GAP_DEFINITIONS, reliabilityKey } from './reliability-key.js';
import { type Reliability, reliabilityPlot } from './reliability-plot.js';

/** Targets of a figure: those of the largest ECE before calibration. */
const MOST = 24;
const SIZE = { plot: 112, left: 34, top: 62, between: 12, name: 20, foot: 10 } as const;
const HEADS = ['Base', 'Post-trained', 'Calibrated'];

type Row = ReadonlyArray<Reliability | undefined>;

/** Fig. 1: per data set a row of small diagrams per target: its own base, the model as it is, and calibrated. */
export function reliabilityMultiples(diagnostics: Diagnostics, verdicts: readonly Verdict[]): ReportFigure[] {
  const groups = reliabilityGroups(diagnostics);
  return [...new Set(verdicts.map(({ dataset }) => dataset))].flatMap((dataset) => {
    const own = verdicts.filter((verdict) => verdict.dataset === dataset);
    const rows = own.flatMap((verdict) => {
      const group = groups.find(([first]) => first?.dataset === dataset && first.target === verdict.target);
      return group === undefined ? [] : [{ target: verdict.target, row: rowOf(group, verdict) }];
    });
    // One alone has the large figure.
    if (rows.length < 2) return [];
    const worst = rows.toSorted((a, b) => (b.row[1]?.ece ?? 0) - (a.row[1]?.ece ?? 0)).slice(0, MOST);
    return [multiplesOf(dataset, rows.length > MOST ? worst : rows, rows.length, diagnostics.notes?.reliability)];
  });
}

function rowOf(group: readonly Reliability[], { use }: Verdict): Row {
  const of = (name: string, size: number | null) =>
    group.find((panel) => panel.method === name && panel.combinationSize === size);
  return [
    of('own-base', null),
    of('vanilla', null),
    use === null ? of('vanilla', null) : of(use.method, use.combinationSize),
  ];
}

function multiplesOf(
  dataset: string,
  rows: ReadonlyArray<{ readonly target: string; readonly row: Row }>,
  all: number,
  note: string | undefined,
): ReportFigure {
  const path = figurePath('reliability', dataset);
  const title = `Reliability on ${plainText(dataset)}`;
  const said = rows.map(({ target, row }) => `${plainText(target)} ${row.map(eceOf).join(', ')}`);
  const some = all > rows.length ? `The ${rows.length} of ${all} targets with the largest ECE. ` : '';
  const alt = `${some}ECE in pp of own base, post-trained model and calibrated model: ${said.join('; ')}.`;
  const width = SIZE.left + 3 * SIZE.plot + 2 * SIZE.between + 10;
  const height = SIZE.plot + SIZE.name + SIZE.foot;
  const bottom = SIZE.top + rows.length * height;
  const banded = rows.some(({ row }) => row.some((panel) => panel?.bins.some((bin) => bin.accuracyLow != null)));
  const key = reliabilityKey({ left: 10, top: bottom + 26, width: width - 20 }, banded);
  const svg = figureFrame(
    { id: idOf(path), title, alt, width, height: bottom + 12 + key.height + 8, defs: GAP_DEFINITIONS },
    ...HEADS.map((head, i) => mutedText(SIZE.left + i * (SIZE.plot + SIZE.between), SIZE.top - 16, head, 'start')),
    ...rows.map(({ target, row }, i) =>
      element(
        'g',
        { transform: `translate(${SIZE.left} ${SIZE.top + i * height})` },
        text(0, 10, shortenName(plainText(target), 48), { 'font-weight': 600 }),
        ...row.map((panel, column) => small(panel, column, i === rows.length - 1)),
      ),
    ),
    key.svg,
  );
  return { kind: 'reliability', dataset, target: null, path, title, alt, note, svg, table: tableOf(rows) };
}

function small(panel: Reliability | undefined, column: number, last: boolean): string {
  const at = { transform: `translate(${column * (SIZE.plot + SIZE.between)} ${SIZE.name})` };
  if (panel === undefined) return element('g', at, mutedText(4, 14, 'not measured', 'start'));
  const plot = reliabilityPlot(panel, { size: SIZE.plot, yTicks: column === 0, xTicks: last, hints: false });
  return element('g', at, plot, text(4, 13, eceOf(panel), { 'font-size': 12 }));
}

function eceOf(panel: Reliability | undefined): string {
  return panel === undefined ? 'not measured' : formatFixed(100 * (panel.eceMean ?? panel.ece), 1);
}

function tableOf(rows: ReadonlyArray<{ readonly target: string; readonly row: Row }>): ReportFigure['table'] {
  const tables = rows.map(({ target, row }) => ({ target, ...reliabilityTable(row.flatMap((panel) => panel ?? [])) }));
  return {
    columns: ['target', ...(tables[0]?.columns ?? [])],
    rows: tables.flatMap((table) => table.rows.map((row) => [table.target, ...row])),
  };
}
