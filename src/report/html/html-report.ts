import type { ReportInput } from '../../results/report-input.js';
import type { Verdict } from '../../results/verdict-schema.js';
import { thresholdsInUse } from '../outcome/answering-alone.js';
import { enoughQuestions } from '../outcome/enough-questions.js';
import { buildPaperTable, type PaperTable } from '../table/paper-table.js';
import type { ReportFigure } from '../text/report-file.js';
import { type AppendixPart, appendix } from './appendix.js';
import { exampleSection } from './examples/example-section.js';
import { type FigureGroups, type FigureKind, figureGroups } from './figures/figure-groups.js';
import { filters } from './filters.js';
import { openingSection } from './opening/opening-section.js';
import { html, type Markup } from './page/markup.js';
import { page } from './page/page.js';
import { provenanceSection } from './provenance-section.js';
import { howToRead } from './tables/how-to-read.js';
import { metricSection } from './tables/metric-section.js';
import { statisticSection } from './tables/statistic-section.js';
import { tableSection } from './tables/table-section.js';
import { thresholdSection } from './tables/threshold-section.js';

/**
 * report.html: one file that needs nothing else. It begins with the answer; then come selective prediction, the
 * methods side by side, and an appendix that is closed. It reads without JavaScript; with it, tables sort, numbers
 * unfold, and everything can be narrowed to a data set, a target and some methods. Text from data stays text.
 */
export function renderHtmlReport(
  input: ReportInput,
  verdicts: readonly Verdict[],
  figures: readonly ReportFigure[],
): string {
  const { results, diagnostics } = input;
  const datasets = [...new Set(results.summary.map((row) => row.dataset))];
  const tables = datasets.map((dataset) => buildPaperTable(results, dataset));
  const groups = figureGroups(figures);
  const opening = openingSection({
    results,
    verdicts,
    enough: enoughQuestions(diagnostics, verdicts),
    diagrams: groups.alone('before-after'),
  });
  const parts: [id: string, name: string, content: Markup | null][] = [
    ['risk', 'Answering alone', riskSection(thresholdSection(thresholdsInUse(results, verdicts)), groups)],
    ['methods', 'Methods', methodsSection(tables, input, groups)],
    ['appendix', 'Appendix', appendix(appendixParts(tables, input, groups, verdicts))],
  ];
  const shown = parts.filter(([, , content]) => content !== null);
  const links = [['answer', 'Answer'], ...shown].map(
    ([id, name]) => html`<a href="#${String(id)}">${String(name)}</a>`,
  );
  return page(
    `${results.title ?? results.suite}: SupportCal calibration report`,
    html`<a class="skip" href="#answer">Skip to the report</a>
<nav aria-label="Sections">${links}</nav>
${groups.definitions}
<main>${opening}
${filters(tables, links)}
${shown.map(([, , content]) => content)}</main>`,
  );
}

/** Selective prediction: null where a run measured none. */
function riskSection(thresholds: Markup | null, groups: FigureGroups): Markup | null {
  const figures = groups.group('risk-coverage');
  if (figures === null && thresholds === null) return null;
  return html`<section id="risk" aria-labelledby="risk-h"><h2 id="risk-h">When it may answer alone</h2>
${thresholds}${figures}</section>`;
}

function methodsSection(tables: readonly PaperTable[], input: ReportInput, groups: FigureGroups): Markup {
  return html`<section id="methods" aria-labelledby="methods-h">
<h2 id="methods-h">Methods</h2>
<p class="lead">ECE is the mean distance between confidence and accuracy in percentage points (pp): lower is better. Bold are the label-free methods that cannot be told from the best of their row; nothing is bold where nothing can be told apart.</p>
${tables.map((table) => tableSection(table, input))}
${howToRead(tables)}
${groups.group('ece')}</section>`;
}

/** Kinds of figures of each part, with the names of those that stand beside others. */
const FIGURE_PARTS: ReadonlyArray<readonly [id: string, title: string, kinds: readonly [FigureKind, string][]]> = [
  ['reliability', 'Reliability of every model (Fig. 1)', [['reliability', '']]],
  ['reintroduction', 'Disagreement given back to the objective (Fig. 2)', [['reintroduction', '']]],
  [
    'sizes',
    'How many questions and references it takes',
    [
      ['sample-size', 'Questions'],
      ['sensitivity', 'References'],
    ],
  ],
  [
    'fits',
    'How the fits came about',
    [
      ['temperature', 'Temperatures'],
      ['loss', 'Loss'],
      ['disagreement', 'Disagreement'],
      ['weight-margin', 'Weights'],
    ],
  ],
  [
    'asked',
    'What was asked',
    [
      ['option-mass', 'Option mass'],
      ['prompt-length', 'Prompt length'],
    ],
  ],
];

function appendixParts(
  tables: readonly PaperTable[],
  input: ReportInput,
  groups: FigureGroups,
  verdicts: readonly Verdict[],
): AppendixPart[] {
  const figures = FIGURE_PARTS.map(([id, title, kinds]) => ({ id, title, content: figurePart(kinds, groups) }));
  const statistics = tables.flatMap((table) => statisticSection(table, input) ?? []);
  return [
    { id: 'examples', title: 'Every example', content: exampleSection(input, verdicts) },
    ...figures,
    { id: 'metrics', title: 'Every other metric', content: metricSection(tables, input.results) },
    {
      id: 'statistics',
      title: 'Power, ranks, regret and selective prediction',
      content: statistics.length === 0 ? null : html`<div class="columns">${statistics}</div>`,
    },
    { id: 'provenance', title: 'Provenance', content: provenanceSection(input) },
  ];
}

function figurePart(kinds: readonly (readonly [FigureKind, string])[], groups: FigureGroups): Markup | null {
  const drawn = kinds.flatMap(([kind, name]) => {
    const content = groups.group(kind);
    return content === null ? [] : [html`${name !== '' && html`<h3>${name}</h3>`}${content}`];
  });
  return drawn.length === 0 ? null : html`${drawn}`;
}
