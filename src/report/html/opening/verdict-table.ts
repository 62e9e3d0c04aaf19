import { groupBy } from '../../../contract/group-by.js';
import type { RunResult } from '../../../results/run-schema.js';
import type { Verdict } from '../../../results/verdict-schema.js';
import { formatFixed, formatPercent, formatSignificant, NOT_AVAILABLE } from '../../text/format-number.js';
import { verdictWords } from '../../text/verdict-lines.js';
import { html, type Markup, scrollable } from '../page/markup.js';
import { sortable } from '../page/sortable.js';

/** Rows beyond which the table scrolls inside itself. */
const LONG = 40;

/** Every model on every data set: what it claims, how often it is right, the temperature, and what to make of it. */
export function verdictTable(verdicts: readonly Verdict[], runs: readonly RunResult[]): Markup {
  const several = new Set(verdicts.map(({ dataset }) => dataset)).size > 1;
  const caption = 'What every model claims, before and after. Percentages; ECE in pp with its 95 % interval.';
  const heads = ['Claims', 'Is right', 'Claims, calibrated', 'ECE before', 'ECE after', 'Temperature'];
  const runsOf = groupBy(runs, pairKey);
  const content = html`
<table class="grid sortable verdicts"><caption>${caption}</caption>
<thead><tr><th scope="col" data-sort="text">Model</th>${several && html`<th scope="col" data-sort="text" class="word">Data set</th>`}${heads.map((head) => html`<th scope="col" class="num" data-sort="number">${head}</th>`)}<th scope="col" data-sort="text" class="word">Verdict</th></tr></thead>
<tbody>${verdicts.map((verdict) => verdictRow(verdict, several, runsOf.get(pairKey(verdict)) ?? []))}</tbody>
</table>`;
  return html`<div class="verdict-table${verdicts.length > LONG && ' long'}">${scrollable('Every model on every data set', content)}</div>
${copyAll(verdicts)}`;
}

function pairKey({ dataset, target }: { readonly dataset: string; readonly target: string }): string {
  return JSON.stringify([dataset, target]);
}

function verdictRow(verdict: Verdict, several: boolean, runs: readonly RunResult[]): Markup {
  const { dataset, target, kind, sentence, use, claimedBefore, accuracy, claimedAfter, before, after } = verdict;
  const shares = [claimedBefore, accuracy, claimedAfter];
  return html`<tr data-target="${target}" data-dataset="${dataset}"><th scope="row">${target}</th>${several && html`<td class="word">${dataset}</td>`}${shares.map((value) => numberCell(value, formatPercent(value, 1)))}${[before, after].map(rangeCell)}<td class="num" data-v="${sortable(use?.temperature ?? null)}">${temperatureText(use, runs)}</td><td class="word kind ${kind}"><span title="${sentence}">${verdictWords(kind)}</span></td></tr>
`;
}

function numberCell(value: number | null, text: string): Markup {
  return html`<td data-v="${sortable(value)}">${text}</td>`;
}

function rangeCell(range: Verdict['before']): Markup {
  if (range === null) return numberCell(null, NOT_AVAILABLE);
  const { ecePp, lowPp, highPp } = range;
  const interval =
    lowPp !== null && highPp !== null && html` <small>[${formatFixed(lowPp, 1)}, ${formatFixed(highPp, 1)}]</small>`;
  return html`<td data-v="${sortable(ecePp)}">${formatFixed(ecePp, 1)}${interval}</td>`;
}

/** The temperature with its method, and how it differs between splits for whoever points at it. */
function temperatureText(use: Verdict['use'], runs: readonly RunResult[]): Markup {
  if (use === null) return html`as it is`;
  const { temperature, method, combinationSize, label } = use;
  const name = html` <small>${label}</small>`;
  if (temperature === null) return html`<span class="mark">none finite</span>${name}`;
  const own = runs.filter((run) => run.method === method && run.combinationSize === combinationSize);
  const finite = own.flatMap((run) => run.temperature ?? []);
  const unfit = own.length - finite.length;
  const range = `${formatSignificant(Math.min(...finite))} to ${formatSignificant(Math.max(...finite))} over ${finite.length} splits`;
  const mark = unfit > 0 && html` <span class="mark">∞ ${unfit}/${own.length}</span>`;
  return html`<code class="copy" data-copy="${String(temperature)}" title="${range}">${formatSignificant(temperature)}</code>${mark}${name}`;
}

function copyAll(verdicts: readonly Verdict[]): Markup {
  const datasets = [...groupBy(verdicts, ({ dataset }) => dataset)].map(
    ([dataset, own]) =>
      [
        dataset,
        Object.fromEntries(own.map(({ target, use }) => [target, use === null ? 1 : use.temperature])),
      ] as const,
  );
  return html`<details class="prose" data-copy-block><summary>All temperatures as JSON</summary><pre tabindex="0"><code>${JSON.stringify(Object.fromEntries(datasets), null, 2)}</code></pre></details>`;
}
