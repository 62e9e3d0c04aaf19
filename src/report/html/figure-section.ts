import type { ReportFigure } from '../text/report-file.js';
import { figureInPage, sharedDefinitions } from './figure-in-page.js';
import { escapeHtml, html, type Markup, scrollable, trusted } from './markup.js';
import { type Kept, PAGE_BUDGET, withinBudget } from './page-budget.js';

/** What the page needs of a figure. */
export type PageFigure = Omit<ReportFigure, 'dataset'> & {
  /** What the filters know it by; null: about all of them. */
  readonly dataset: string | null;
};

type FigureValue = string | number | null;

const KINDS: ReadonlyArray<readonly [kind: ReportFigure['kind'], name: string, about: string]> = [
  [
    'ece',
    'ECE by method',
    'Large marks are means over targets with the 95 % interval for targets of other bases, drawn like these; small ones each target ± SE over splits.',
  ],
  [
    'reliability',
    'Reliability',
    'Bars below the diagonal claim more than they keep. From left to right: the base before post-training, the model as it is, and calibrated.',
  ],
  ['temperature', 'Temperatures', 'Seeds close together: the fit hardly depends on which questions it saw.'],
  [
    'loss',
    'Loss',
    'Each fit takes the inverse temperature β at which its curve is lowest; at β = 1 the model is as it was.',
  ],
  ['disagreement', 'Disagreement', 'Questions that DACA leaves out and SupportCal weighs.'],
  [
    'reintroduction',
    'Reintroduction',
    'What giving disagreements back to the objective does to the ECE, with and without weights.',
  ],
  ['sample-size', 'Sample size', 'How few unlabelled questions suffice for a temperature.'],
  ['sensitivity', 'Number of references', 'SupportCal by the size M of its combination.'],
  [
    'weight-margin',
    'Weights',
    'Which disagreements keep their weight: m is how much the base favours what the target favours.',
  ],
  [
    'risk-coverage',
    'Selective prediction',
    'How many answers are wrong when only the surest are given, before and after calibration.',
  ],
  ['option-mass', 'Option mass', 'Little mass on the options means that the model wanted to say something else.'],
  ['prompt-length', 'Prompt length', 'What was evaluated, in tokens.'],
];

/**
 * Every figure by what it is about, with its description and, one click away, its numbers. Of very many figures those
 * stand here that fit into the page, some of each kind; the others are named with the files that they lie in.
 */
export function figureSection(figures: readonly PageFigure[]): Markup | null {
  if (figures.length === 0) return null;
  const kinds = KINDS.filter(([kind]) => figures.some((each) => each.kind === kind));
  const kept = withinBudget(figures, PAGE_BUDGET.figures, figure, inTurns(figures));
  return html`<section id="figures" aria-labelledby="figures-h">
<h2 id="figures-h">Figures</h2>
<p class="contents">${kinds.map(([kind, name]) => html`<a href="#figures-${kind}">${name}</a> `)}</p>
<svg class="unseen" aria-hidden="true" width="1" height="1"><defs>
${trusted(sharedDefinitions(kept.flatMap(({ item, content }) => (content === null ? [] : [item]))))}
</defs></svg>
${kinds.map(([kind, name, about]) =>
  group(
    kind,
    name,
    about,
    kept.filter(({ item }) => item.kind === kind),
  ),
)}</section>`;
}

/** The first of each kind, then the second of each: none of them takes all the room. */
function inTurns(figures: readonly PageFigure[]): PageFigure[] {
  const places = new Map<string, number>();
  const placed = figures.map((figure) => {
    const place = places.get(figure.kind) ?? 0;
    places.set(figure.kind, place + 1);
    return { figure, place };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ figure }) => figure);
}

function group(kind: string, name: string, about: string, figures: readonly Kept<PageFigure>[]): Markup {
  const notes = [...new Set(figures.map(({ item }) => item.note))].filter((note) => note !== undefined);
  return html`<h3 id="figures-${kind}">${name}</h3>
<p class="lead">${about}</p>
${notes.map((note) => html`<p class="note">${note}</p>`)}
<div class="plots of-${kind}">
${figures.flatMap(({ content }) => content ?? [])}</div>
${besideThePage(figures.flatMap(({ item, content }) => (content === null ? [item] : [])))}`;
}

function besideThePage(figures: readonly PageFigure[]): Markup | null {
  if (figures.length === 0) return null;
  return html`<details class="data beside"><summary>${figures.length} more lie beside this page, which would be too large with them</summary>
<ul>${figures.map(
    ({ dataset, target, title, path }) =>
      html`<li${dataset !== null && html` data-dataset="${dataset}"`}${target !== null && html` data-target="${target}"`}>${title} <a class="file" href="${encodeURI(path)}">${path}</a></li>
`,
  )}</ul></details>
`;
}

function figure({ dataset, target, title, alt, svg, path, table }: PageFigure): Markup {
  const ofTarget = target === null ? '' : html` data-target="${target}"`;
  const ofDataset = dataset === null ? '' : html` data-dataset="${dataset}"`;
  return html`<figure${ofDataset}${ofTarget}>${scrollable(title, trusted(figureInPage(svg)), 'plot')}
<figcaption>${alt}</figcaption>
${dataTable(title, path, table)}</figure>
`;
}

function dataTable(title: string, path: string, { columns, rows }: PageFigure['table']): Markup {
  const texts = columns.findIndex((_, i) => rows.some((row) => typeof row[i] === 'number'));
  const content = html`<table class="grid plain small n${texts < 0 ? columns.length : texts}"><caption class="unseen">${title}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${trusted(rows.map(tableRow).join('\n'))}</tbody></table>`;
  return html`<details class="data"><summary>Numbers of this figure <span class="file">${path}</span></summary>
${scrollable(`Numbers: ${title}`, content)}</details>`;
}

/** Thousands of them: plain strings are twice as fast as templates. */
function tableRow(row: readonly FigureValue[]): string {
  return `<tr>${row.map((value) => `<td>${escapeHtml(shown(value))}</td>`).join('')}</tr>`;
}

/** Four digits: a file of the same name beside the figure has them all. */
function shown(value: FigureValue): string {
  if (value === null) return '';
  return typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(4))) : String(value);
}
