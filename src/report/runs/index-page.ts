import { groupBy } from '../../contract/group-by.js';
import { mean } from '../../numeric/mean.js';
import { compareRuns } from '../compare/compare-runs.js';
import { type ComparedRun, comparisonDocument } from '../compare/comparison-document.js';
import { html, type Markup, scrollable } from '../html/page/markup.js';
import { page } from '../html/page/page.js';
import { SORTING_SCRIPT } from '../html/page/script/page-script.js';
import { sortable } from '../html/page/sortable.js';
import { claimSentence, leadVerdict, verdictsIn } from '../outcome/lead-verdict.js';
import { formatFixed } from '../text/format-number.js';
import { countVerdicts } from '../text/verdict-lines.js';
import { count } from '../text/what-is-missing.js';
import { comparisonSection } from './comparison-section.js';

/** A run of a folder of runs; `name` is its folder, as seen from the page. */
export interface IndexedRun extends ComparedRun {
  readonly hasPage: boolean;
}

/** What lies beside the runs and cannot be shown, with the reason. */
export interface UnreadRun {
  readonly name: string;
  readonly reason: string;
}

/** Changed rows of a comparison; the command `compare` shows all. */
const MOST_ROWS = 20;

/** One page over the runs of a folder: what each came to, the newest first, and what changed since the one before. */
export function indexPage(runs: readonly IndexedRun[], unread: readonly UnreadRun[]): string {
  const newest = runs.toSorted((a, b) => b.results.createdAt.localeCompare(a.results.createdAt));
  const suites = [...groupBy(newest, ({ results }) => results.suite).values()];
  const content = html`<main><header class="opening"><p class="eyebrow">SupportCal calibration reports</p>
<h1>${count(runs.length, 'run')} of ${count(suites.length, 'suite')}</h1></header>
<section id="runs">${runTable(newest)}</section>
${unread.length > 0 && html`<div class="status partial"><b>Not shown</b><ul>${unread.map(({ name, reason }) => html`<li>${name}: ${reason}</li>`)}</ul></div>`}
${suites.flatMap((own) => changes(own))}</main>`;
  return page('SupportCal: runs', content, SORTING_SCRIPT);
}

function runTable(runs: readonly IndexedRun[]): Markup {
  const caption = 'Runs, newest first. ECE in pp: mean over all pairs of a model and a data set.';
  const heads = ['Models', 'Data sets', 'ECE before', 'ECE after'];
  return scrollable(
    'Runs',
    html`<table class="grid sortable verdicts runs"><caption>${caption}</caption>
<thead><tr><th scope="col" data-sort="text">Run</th><th scope="col" class="word" data-sort="text">When</th>${heads.map((head) => html`<th scope="col" class="num" data-sort="number">${head}</th>`)}<th scope="col" class="word">Verdicts</th><th scope="col" class="word">Widest gap</th></tr></thead>
<tbody>${runs.map(runRow)}</tbody></table>`,
  );
}

function runRow({ name, results, hasPage }: IndexedRun): Markup {
  const verdicts = verdictsIn(results);
  const ofEach = (field: 'target' | 'dataset') => new Set(verdicts.map((verdict) => verdict[field])).size;
  const [before, after] = [
    mean(verdicts.flatMap((each) => each.before?.ecePp ?? [])),
    mean(verdicts.flatMap((each) => (each.after ?? each.before)?.ecePp ?? [])),
  ];
  const lead = leadVerdict(verdicts);
  const title = results.title ?? results.suite;
  const link = hasPage ? html`<a href="${encodeURI(name)}/report.html">${title}</a>` : html`${title}`;
  const partial = results.status === 'partial' && html` <span class="mark">partial</span>`;
  return html`<tr><th scope="row">${link} <small>${name}</small>${partial}</th><td class="word">${results.createdAt.slice(0, 16).replace('T', ' ')}</td>${[ofEach('target'), ofEach('dataset')].map((value) => html`<td data-v="${value}">${value}</td>`)}${[before, after].map((value) => html`<td data-v="${sortable(value)}">${formatFixed(value, 1)}</td>`)}<td class="word wrap">${countVerdicts(verdicts)}</td><td class="word wrap">${(lead && claimSentence(lead, false)) ?? ''}</td></tr>
`;
}

/** What changed between each run of a suite and the one before it; `runs` are the newest first. */
function changes(runs: readonly IndexedRun[]): Markup[] {
  return runs.slice(0, -1).flatMap((b, n) => {
    const a = runs[n + 1];
    if (a === undefined) return [];
    const comparison = compareRuns(a, b);
    if (comparison.rows.length === 0) return [];
    const document = comparisonDocument(a, b, comparison, MOST_ROWS);
    return [
      html`<details class="part"><summary><h2 class="change">${b.name} since ${a.name}: ${document.headline}</h2></summary>
<div class="inside">${comparisonSection(document)}</div></details>
`,
    ];
  });
}
