import type { ReportFigure } from '../../text/report-file.js';
import { html, type Markup, scrollable, trusted } from '../page/markup.js';
import { type Kept, PAGE_BUDGET, withinBudget } from '../page/page-budget.js';
import { figureInPage, sharedDefinitions } from './figure-in-page.js';
import { figureNumbers } from './figure-numbers.js';

export type FigureKind = ReportFigure['kind'];

/** The figures of a page: where they stand is up to its sections, how many there are to its budget. */
export interface FigureGroups {
  /** What figures of a kind show, the figures side by side, and the names of those beside the page; null: none. */
  group(kind: FigureKind): Markup | null;
  /** One figure without words about its kind; null: it does not exist or fit. */
  alone(kind: FigureKind): Markup | null;
  /** Definitions that the figures share, once for the page. */
  readonly definitions: Markup;
}

const ABOUT: Readonly<Record<FigureKind, string>> = {
  'before-after': '',
  card: '',
  ece: 'Large marks are means over targets with the 95 % interval for targets of other bases, drawn like these; small ones each target ± SE over splits.',
  reliability: 'Post-trained models claim more than they keep; their bases mostly do not. The number is the ECE in pp.',
  temperature: 'Seeds close together: the fit hardly depends on which questions it saw.',
  loss: 'Each fit takes the inverse temperature β at which its curve is lowest; at β = 1 the model is as it was.',
  disagreement: 'Questions that DACA leaves out and SupportCal weighs.',
  reintroduction: 'What giving disagreements back to the objective does to the ECE, with and without weights.',
  'sample-size': 'How few unlabelled questions suffice for a temperature, and how many labels Oracle TS takes.',
  sensitivity: 'SupportCal by the size M of its combination.',
  'weight-margin': 'Which disagreements keep their weight: m is how much the base favours what the target favours.',
  'risk-coverage':
    'How many answers are wrong when only the surest are given: a low curve at the left is a model that knows what it knows.',
  'option-mass': 'Little mass on the options means that the model wanted to say something else.',
  'prompt-length': 'What was evaluated, in tokens; models with the same tokeniser share a row.',
};

/**
 * Renders the figures that fit into the page, some of each kind; the others are named with the files that they lie in.
 * A diagram of one target alone stands in its file only, unless it is the only one; so does the card.
 */
export function figureGroups(figures: readonly ReportFigure[]): FigureGroups {
  const pairs = figures.filter(isOfOne);
  const shown = figures.filter((figure) => figure.kind !== 'card' && (!isOfOne(figure) || pairs.length === 1));
  const kept = withinBudget(shown, PAGE_BUDGET.figures, figureMarkup, inTurns(shown));
  const inPage = kept.flatMap(({ item, content }) => (content === null ? [] : [item]));
  return {
    group: (kind) => group(kind, kept),
    alone: (kind) => kept.find(({ item }) => item.kind === kind)?.content ?? null,
    definitions: html`<svg class="unseen" aria-hidden="true" width="1" height="1"><defs>
${trusted(sharedDefinitions(inPage))}
</defs></svg>`,
  };
}

function isOfOne({ kind, target }: ReportFigure): boolean {
  return kind === 'reliability' && target !== null;
}

/** The first of each kind, then the second of each: none of them takes all the room. */
function inTurns(figures: readonly ReportFigure[]): ReportFigure[] {
  const places = new Map<string, number>();
  const placed = figures.map((figure) => {
    const place = places.get(figure.kind) ?? 0;
    places.set(figure.kind, place + 1);
    return { figure, place };
  });
  return placed.sort((a, b) => a.place - b.place).map(({ figure }) => figure);
}

function group(kind: FigureKind, all: readonly Kept<ReportFigure>[]): Markup | null {
  const own = all.filter(({ item }) => item.kind === kind);
  if (own.length === 0) return null;
  const notes = [...new Set(own.map(({ item }) => item.note))].filter((note) => note !== undefined);
  return html`<p class="lead">${ABOUT[kind]}</p>
<div class="plots of-${kind}">
${own.flatMap(({ content }) => content ?? [])}</div>
${notes.map((note) => html`<p class="note">${note}</p>`)}
${besideThePage(own.flatMap(({ item, content }) => (content === null ? [item] : [])))}`;
}

function besideThePage(figures: readonly ReportFigure[]): Markup | null {
  if (figures.length === 0) return null;
  return html`<details class="data beside"><summary>${figures.length} more lie beside this page, which would be too large with them</summary>
<ul>${figures.map(
    (figure) =>
      html`<li${about(figure)}>${figure.title} <a class="file" href="${encodeURI(figure.path)}">${figure.path}</a></li>
`,
  )}</ul></details>
`;
}

function about({ dataset, target }: ReportFigure): Markup {
  return html`${dataset !== null && html` data-dataset="${dataset}"`}${target !== null && html` data-target="${target}"`}`;
}

function figureMarkup(figure: ReportFigure): Markup {
  const { title, alt, svg, path, table } = figure;
  return html`<figure${about(figure)}>${scrollable(title, trusted(figureInPage(svg)), 'plot')}
<figcaption>${alt}</figcaption>
${figureNumbers(title, path, table)}</figure>
`;
}
