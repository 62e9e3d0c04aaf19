import { html, type Markup, trusted } from './markup.js';

/** What the page needs of a figure. */
export interface PageFigure {
  /** What the filters know it by; null: about all of them. */
  readonly dataset: string | null;
  readonly target: string | null;
  readonly path: string;
  readonly title: string;
  readonly alt: string;
  readonly note?: string | undefined;
  /** Finished SVG of our own. */
  readonly svg: string;
  readonly table?: { readonly columns: readonly string[]; readonly rows: ReadonlyArray<readonly FigureValue[]> };
}

type FigureValue = string | number | null;

/** Every figure with its description and, one click away, its numbers. */
export function figureSection(figures: readonly PageFigure[]): Markup | null {
  if (figures.length === 0) return null;
  return html`<section id="figures" aria-labelledby="figures-h">
<h2 id="figures-h">Figures</h2>
${figures.map(figure)}</section>`;
}

function figure({ dataset, target, title, alt, note, svg, path, table }: PageFigure): Markup {
  const ofTarget = target === null ? '' : html` data-target="${target}"`;
  const ofDataset = dataset === null ? '' : html` data-dataset="${dataset}"`;
  return html`<figure${ofDataset}${ofTarget}><div class="scroll plot" role="region" aria-label="${title}" tabindex="0">${trusted(svg)}</div>
<figcaption>${title}. ${alt}${note !== undefined && ` ${note}`} <span class="file">${path}</span></figcaption>
${table !== undefined && dataTable(title, table)}</figure>`;
}

function dataTable(title: string, { columns, rows }: NonNullable<PageFigure['table']>): Markup {
  return html`<details class="data"><summary>Numbers of this figure</summary>
<div class="scroll" role="region" aria-label="Numbers: ${title}" tabindex="0"><table class="grid plain small"><caption class="unseen">${title}</caption>
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((value) => html`<td${typeof value === 'number' ? html` class="num"` : ''}>${shown(value)}</td>`)}</tr>`)}</tbody></table></div></details>`;
}

function shown(value: FigureValue): string {
  if (value === null) return '';
  return typeof value === 'number' && !Number.isInteger(value) ? String(Number(value.toPrecision(6))) : String(value);
}
