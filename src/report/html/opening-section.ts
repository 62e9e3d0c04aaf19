import type { Results } from '../../results/results-schema.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { zip } from '../table/zip.js';
import { formatFixed, formatPercent } from '../text/format-number.js';
import { healthLines } from '../text/health-lines.js';
import { count, missingParts } from '../text/what-is-missing.js';
import { html, type Markup } from './markup.js';
import { type ChosenTemperatures, chosenTemperatures, temperatureTable } from './temperature-table.js';

/** The four that the first screen compares; of several M the smallest. */
const HEADLINE = ['vanilla', 'daca', 'supportcal', 'oracle-ts'];
const BAR = { width: 200, height: 10 };

const HOW_TO_READ = html`<p><b>ECE</b> (expected calibration error): at 10 pp a model that says 80 % is right about 70 % (or 90 %) of the time.</p>
<p><b>Vanilla</b> is the model as it is. <b>DACA</b> fits its temperature to the own base on the questions on which both agree; <b>SupportCal (M)</b> adds the disagreements, weighted by how much the base and M reference models support the answer of the target. <b>Oracle TS</b> fits to the labels of the calibration split: something to compare with, not a competitor, and no lower bound of ECE.</p>
<p>Cells are mean ± SE over seeds. <b>Bold</b> is the lowest and <u>underlined</u> the second lowest of the label-free methods, on unrounded values. Look at the gain of accuracy beside the ECE: every label-free temperature makes the model about as unsure as its own base, which fits less the more accuracy post-training gained.</p>`;

/** What was calibrated, how well, and whether anything is missing. */
export function openingSection(results: Results, tables: readonly PaperTable[]): Markup {
  const { protocol, suite, createdAt } = results;
  const targets = new Set(results.summary.map((row) => row.target)).size;
  const facts = [
    count(targets, 'post-trained model'),
    count(tables.length, 'data set'),
    count(protocol.seeds.length, 'seed'),
    createdAt.slice(0, 10),
  ];
  const chosen = tables.map((table) => chosenTemperatures(table, results.runs));
  return html`<header class="opening">
<p class="eyebrow">SupportCal calibration report</p>
<h1>${suite}</h1>
<p class="facts">${facts.map((fact, i) => html`${i === 0 ? '' : html` <span aria-hidden="true">·</span> `}${fact}`)}</p>
<div class="brief">${completeness(results)}${nextStep(chosen)}</div>
</header>
<section id="headline" aria-labelledby="headline-h">
<h2 id="headline-h">Macro-average ECE, and the temperature to use</h2>
<p class="lead">ECE is the mean distance between confidence and accuracy in percentage points (pp): lower is better. Per seed, ${formatPercent(protocol.calibrationFraction, 0)} % of the questions fix one temperature per model, without labels; ECE is measured on the rest.</p>
<div class="cards">${zip(tables, chosen).map(([table, temperatures]) => headlineCard(table, temperatures))}</div>
${healthNote(results)}${allTemperatures(tables, chosen)}
<details class="prose"><summary>How to read this</summary>
${HOW_TO_READ}${experimentalNote(tables)}</details>
</section>`;
}

/** What to do with the result, in a few sentences. */
function nextStep(chosen: ReadonlyArray<ChosenTemperatures | null>): Markup | null {
  const labels = [...new Set(chosen.flatMap((each) => (each === null ? [] : [each.column.label])))];
  if (labels.length === 0) return null;
  return html`<p class="next"><b>Next:</b> divide the option logits of a model by its temperature before the softmax. Those below are of ${labels.join(' or ')}, means over seeds, fitted and chosen without labels. <code>supportcal export</code> fits it on all rows for other programs.</p>`;
}

function allTemperatures(
  tables: readonly PaperTable[],
  chosen: ReadonlyArray<ChosenTemperatures | null>,
): Markup | null {
  const entries = zip(tables, chosen).flatMap(([{ dataset }, each]) =>
    each === null
      ? []
      : [[dataset, Object.fromEntries(each.rows.map(({ target, temperature }) => [target, temperature]))]],
  );
  if (entries.length === 0) return null;
  return html`<details class="prose" data-copy-block><summary>All temperatures as JSON</summary><pre tabindex="0"><code>${JSON.stringify(Object.fromEntries(entries), null, 2)}</code></pre></details>`;
}

function experimentalNote(tables: readonly PaperTable[]): Markup | null {
  const methods = tables.flatMap(({ columns }) => columns.map(({ method }) => method));
  if (!methods.some((method) => method === 'confidence-matched' || method === 'accuracy-matched')) return null;
  return html`<p><b>(exp.)</b> marks experimental methods, not of the paper. They set the mean confidence to that of the own base (Conf.-matched), or to that plus the gain of accuracy that the probabilities of all references suggest (Acc.-matched).</p>`;
}

function healthNote(results: Results): Markup | null {
  const lines = healthLines(results, (text) => text);
  if (lines.length === 0) return null;
  return html`<div class="status partial"><b>Numbers that mean little</b><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>
`;
}

function completeness(results: Results): Markup {
  if (results.status === 'complete') {
    return html`<p class="status whole"><b>Complete.</b> Every example${results.selection ? ' chosen' : ''} of every model counts.</p>`;
  }
  const parts = missingParts(results, (name) => name);
  return html`<p class="status partial"><b>Partial run.</b> ${parts.join('; ') || 'Something was left out'}. <a href="#skipped">What is missing and why</a></p>`;
}

/** One data set: four bars on one scale, and the temperatures to go on with. */
function headlineCard(table: PaperTable, chosen: ChosenTemperatures | null): Markup {
  const shown = HEADLINE.flatMap((method) => {
    const of = table.columns.filter((column) => column.method === method);
    const column = of.toSorted((a, b) => (a.combinationSize ?? 0) - (b.combinationSize ?? 0))[0];
    if (column === undefined) return [];
    return [{ column, meanPp: table.macro[table.columns.indexOf(column)]?.meanPp ?? null }];
  });
  const most = Math.max(...shown.map(({ meanPp }) => meanPp ?? 0)) || 1;
  return html`<article class="card" data-dataset="${table.dataset}">
<h3>${table.dataset}</h3>
<table class="bars"><caption class="unseen">Macro-average ECE in pp on ${table.dataset}</caption><tbody>${shown.map(
    ({ column, meanPp }) =>
      html`<tr class="${barClass(column)}"><th scope="row">${column.label}</th><td>${meanPp === null ? '' : bar(meanPp / most)}</td><td class="num">${formatFixed(meanPp)}</td></tr>`,
  )}</tbody></table>
${missingLabels(table) && html`<p class="note">No labels, so no ECE.</p>`}${chosen && temperatureTable(table, chosen)}</article>`;
}

function missingLabels(table: PaperTable): boolean {
  return table.macro.every((cell) => cell.meanPp === null);
}

function barClass({ method, labelFree }: PaperColumn): string {
  if (!labelFree) return 'oracle';
  return method === 'vanilla' ? 'vanilla' : 'free';
}

function bar(share: number): Markup {
  const width = Math.max(1, Math.round(share * BAR.width));
  return html`<svg viewBox="0 0 ${BAR.width} ${BAR.height}" preserveAspectRatio="none" aria-hidden="true"><rect width="${width}" height="${BAR.height}"/></svg>`;
}
