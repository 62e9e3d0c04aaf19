import type { ReportInput } from '../../../results/report-input.js';
import type { Verdict } from '../../../results/verdict-schema.js';
import { formatCount } from '../../text/format-number.js';
import { html, jsonData, type Markup } from '../page/markup.js';
import { EXAMPLE_VIEWS } from './example-views.js';
import { pageAnswers } from './page-answers.js';
import { pagePicks } from './page-picks.js';

/**
 * Every question with what each model answers, to be searched, sorted and sent: the script makes the rows that are in
 * sight of the data here. null: the run has neither answers nor examples.
 */
export function exampleSection({ answers, examples }: ReportInput, verdicts: readonly Verdict[]): Markup | null {
  const sets = answers === null ? [] : pageAnswers(answers, verdicts);
  const { picks, beyond } = pagePicks(examples);
  if (sets.length === 0 && picks.length === 0) return null;
  const left = sets.filter(({ rows, of }) => rows.length < of);
  const source = examples?.weights == null ? '' : ` Weights are those of the split of seed ${examples.seed}.`;
  return html`<p class="lead">Every question, what the model answers and how sure it is, before and after.${source} The view is in the address of the page and can be sent.</p>
<form class="browse" aria-label="Examples" hidden>
<label>Data set <select name="set"></select></label><label>Model <select name="model"></select></label>
<label>Show <select name="show">${EXAMPLE_VIEWS.map(({ name, title }) => html`<option value="${name}">${title}</option>`)}</select></label>
<label>Search <input type="search" name="q" placeholder="words of the question"></label>
</form>
<p class="note about"></p>
<div class="browsed"></div>
<p class="note">All of it as files: <a class="file" href="answers.json">answers.json</a> <a class="file" href="examples.json">examples.json</a>${left.map(({ dataset, rows, of }) => html`; of ${dataset} the page holds ${formatCount(rows.length)} of ${formatCount(of)} questions, evenly spaced`)}${beyond > 0 && html`; the examples of ${beyond} more ${beyond === 1 ? 'target' : 'targets'} there alone`}.</p>
${jsonData({ sets, picks, views: EXAMPLE_VIEWS.map(({ name, about }) => [name, about]) }, 'example-data')}`;
}
