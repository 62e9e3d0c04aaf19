import type { FigureTable } from '../../text/report-file.js';
import { html, jsonData, type Markup } from '../page/markup.js';

/**
 * The numbers of a figure as data: the page makes a table of them when it is asked to, since those of all figures
 * together would be most of what it holds. A file of the same name beside the figure has all their digits.
 */
export function figureNumbers(title: string, path: string, { columns, rows }: FigureTable): Markup {
  const texts = columns.findIndex((_, i) => rows.some((row) => typeof row[i] === 'number'));
  const data = { title, texts: texts < 0 ? columns.length : texts, columns, rows: rows.map((row) => row.map(shown)) };
  return html`<details class="data numbers"><summary>Numbers <span class="file">${path.replace(/\.svg$/, '.csv')}</span></summary>
${jsonData(data)}</details>`;
}

/** Four digits. */
function shown(value: string | number | null): string | number | null {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
