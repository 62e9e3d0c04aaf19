import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodLabel } from '../../results/method-label.js';
import { figurePath } from '../text/file-names.js';
import { formatFixed } from '../text/format-number.js';
import { plainText, shortenName } from '../text/plain-text.js';
import type { ReportFigure } from '../text/report-file.js';
import { figureFrame, idOf, text } from './figure-frame.js';
import { type Color, paint } from './palette.js';
import {
  drawWhiskers,
  GAP_PATTERNS,
  PANEL,
  type Reliability,
  reliabilityPanel,
  whiskerPath,
} from './reliability-panel.js';
import { element } from './svg-element.js';

const PANELS = ['own-base', 'vanilla', 'daca', 'supportcal', 'oracle-ts'];
const MARGIN = { left: 66, right: 16, top: 40, bottom: 58, between: 22 } as const;
/** The legend's. */
const MIN_WIDTH = 800;

/** One reliability diagram per data set and target: own base, vanilla, DACA, SupportCal (smallest M), oracle. */
export function renderReliabilityFigures(diagnostics: Diagnostics): ReportFigure[] {
  const groups = new Map<string, Reliability[]>();
  for (const row of diagnostics.reliability) {
    const key = JSON.stringify([row.dataset, row.target]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((rows) => reliabilityFigure(panelsOf(rows), diagnostics.notes?.reliability));
}

/** The methods of a figure in their fixed order; of several M the smallest. */
function panelsOf(rows: readonly Reliability[]): Reliability[] {
  return PANELS.flatMap((method) => {
    const ofMethod = rows.filter((row) => row.method === method);
    ofMethod.sort((a, b) => (a.combinationSize ?? 0) - (b.combinationSize ?? 0));
    return ofMethod.slice(0, 1);
  });
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
  const svg = drawFigure(panels, title, alt, idOf(path));
  return [{ kind: 'reliability', dataset, target, path, title, alt, note, svg, table: tableOf(panels) }];
}

function tableOf(panels: readonly Reliability[]): ReportFigure['table'] {
  const columns = ['method', 'lower', 'upper', 'count', 'accuracy', 'accuracyLow', 'accuracyHigh', 'confidence', 'gap'];
  const rows = panels.flatMap((panel) =>
    panel.bins.flatMap(({ lower, upper, count, accuracy, accuracyLow, accuracyHigh, confidence, overconfidence }) =>
      count === 0
        ? []
        : [
            [
              panelTitle(panel),
              lower,
              upper,
              count,
              accuracy,
              accuracyLow ?? null,
              accuracyHigh ?? null,
              confidence,
              overconfidence,
            ],
          ],
    ),
  );
  return { columns, rows };
}

function drawFigure(panels: readonly Reliability[], title: string, alt: string, id: string): string {
  const plots = panels.length * PANEL.size + (panels.length - 1) * MARGIN.between;
  const width = Math.max(MIN_WIDTH, MARGIN.left + plots + MARGIN.right);
  const height = MARGIN.top + PANEL.height + MARGIN.bottom;
  const drawn = panels.map((panel, i) =>
    element(
      'g',
      { transform: `translate(${MARGIN.left + i * (PANEL.size + MARGIN.between)} ${MARGIN.top})` },
      reliabilityPanel(panel, shortenName(panelTitle(panel), 26), i === 0),
    ),
  );
  const defs = [
    hatch(GAP_PATTERNS.over, 'overconfident', 'overconfidentTint', 45),
    hatch(GAP_PATTERNS.under, 'underconfident', 'underconfidentTint', -45),
  ];
  return figureFrame({ id, title, alt, width, height, defs }, axisTitles(plots), ...drawn, legend(panels, height - 16));
}

function axisTitles(plots: number): string {
  const plotMiddle = MARGIN.top + PANEL.headHeight + PANEL.size / 2;
  const stripMiddle = MARGIN.top + PANEL.height - PANEL.histogramHeight / 2;
  const turned = (y: number, name: string) =>
    text(0, 0, name, { 'text-anchor': 'middle', transform: `translate(18 ${y}) rotate(-90)` });
  const middle = MARGIN.left + plots / 2;
  return (
    turned(plotMiddle, 'Accuracy') +
    turned(stripMiddle, 'Share') +
    text(middle, MARGIN.top + PANEL.height + 18, 'Confidence', { 'text-anchor': 'middle' })
  );
}

function legend(panels: readonly Reliability[], y: number): string {
  const entries: [string | null, Color, string][] = [
    [null, 'accuracy', 'accuracy'],
    [`url(#${GAP_PATTERNS.over})`, 'overconfident', 'gap to mean confidence: over-confident'],
    [`url(#${GAP_PATTERNS.under})`, 'underconfident', 'under-confident'],
    [null, 'histogram', 'share of examples'],
  ];

  let x = MARGIN.left;
  const drawn = entries.map(([pattern, color, name]) => {
    const colors =
      pattern === null ? paint({ fill: color, stroke: color }) : { ...paint({ stroke: color }), fill: pattern };
    const entry = element('rect', { x, y: y - 10, width: 14, height: 11, ...colors }) + text(x + 20, y, name);
    x += 20 + name.length * 6.6 + 22;
    return entry;
  });
  const banded = panels.some(({ bins }) => bins.some(({ accuracyLow }) => accuracyLow != null));
  if (banded) drawn.push(drawWhiskers(whiskerPath(x + 6, y + 2, y - 10)), text(x + 18, y, '95 % interval'));
  return drawn.join('');
}

function hatch(id: string, color: Color, tint: Color, angle: number): string {
  return element(
    'pattern',
    { id, width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: `rotate(${angle})` },
    element('rect', { width: 5, height: 5, ...paint({ fill: tint }) }),
    element('line', { x1: 0, y1: 0, x2: 0, y2: 5, ...paint({ stroke: color }), 'stroke-width': 2 }),
  );
}

function panelTitle(panel: Reliability): string {
  return plainText(methodLabel(panel.method, panel.combinationSize));
}
