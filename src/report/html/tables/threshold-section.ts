import { groupBy } from '../../../contract/group-by.js';
import type { Thresholds } from '../../../results/threshold-schema.js';
import { aloneSentence, boundAt } from '../../outcome/answering-alone.js';
import { formatFixed, formatPercent } from '../../text/format-number.js';
import { html, type Markup, scrollable } from '../page/markup.js';

/** From which confidence on each target may answer alone: a sentence and a table for each data set. */
export function thresholdSection(thresholds: readonly Thresholds[]): Markup | null {
  if (thresholds.length === 0) return null;
  const datasets = [...groupBy(thresholds, ({ dataset }) => dataset)];
  const level = formatPercent(thresholds[0]?.level ?? null, 0);
  return html`<div class="columns alone">${datasets.map(
    ([
      dataset,
      own,
    ]) => html`<div data-dataset="${dataset}"><p class="lead"><b>${dataset}</b>: ${aloneSentence(dataset, own)}</p>
${thresholdTable(dataset, own)}</div>
`,
  )}</div>
<p class="note">Thresholds of calibrated confidence: that and more is answered, and no more than so many answers are wrong, each with ${level} % certainty from the labels of the evaluation split. Empty: not shown for any threshold.</p>`;
}

/** Nothing where no target keeps to any rate. */
function thresholdTable(dataset: string, own: readonly Thresholds[]): Markup | null {
  const rates = own[0]?.points.map(({ maxError }) => maxError) ?? [];
  const reached = rates.filter((rate) => own.some(({ points }) => boundAt(points, rate) !== null));
  if (reached.length === 0) return null;
  const caption = `Threshold, and share of the questions answered, on ${dataset}`;
  const content = html`
<table class="grid plain small"><caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Model</th>${reached.map((rate) => html`<th scope="col" class="num">${formatPercent(rate, 0)} % errors</th>`)}</tr></thead>
<tbody>${own.map(
    ({ target, points }) =>
      html`<tr data-target="${target}"><th scope="row">${target}</th>${reached.map((rate) => html`<td class="num">${cell(boundAt(points, rate))}</td>`)}</tr>
`,
  )}</tbody></table>`;
  return scrollable(caption, content);
}

function cell(bound: ReturnType<typeof boundAt>): Markup | null {
  if (bound === null) return null;
  const share = html` <small>${formatPercent(bound.coverage, 0)} %</small>`;
  return html`${bound.guaranteed ? '' : '~'}${formatFixed(bound.threshold)}${share}`;
}
