import type { Verdict } from '../../../results/verdict-schema.js';
import { type EnoughQuestions, enoughText } from '../../outcome/enough-questions.js';
import { formatFixed, formatSignificant } from '../../text/format-number.js';
import { html, type Markup } from '../page/markup.js';

/** What to do with the model that is shown first, why, and what that brings. */
export function verdictCard({ use, sentence, before, after }: Verdict): Markup {
  return html`<div class="verdict-card">
<p class="do">${use === null ? 'Leave it as it is' : temperatureText(use.temperature)}</p>
<p class="why">${sentence.replace(/^./, (first) => first.toUpperCase())}.</p>
<dl><div><dt>ECE before</dt><dd>${rangeText(before)}</dd></div>
${use !== null && html`<div><dt>ECE after, ${use.label}</dt><dd>${rangeText(after)}</dd></div>`}</dl>
</div>`;
}

/** How many unlabelled questions sufficed, a line per data set. */
export function enoughList(enough: readonly EnoughQuestions[]): Markup | null {
  if (enough.length === 0) return null;
  return html`<div class="enough"><h3>How many questions it takes</h3><ul>${enough.map(
    (each) => html`<li data-dataset="${each.dataset}"><b>${each.dataset}</b>: ${enoughText(each)}.</li>`,
  )}</ul></div>`;
}

/** `5.3 pp [3.9, 7.0]`. */
function rangeText(range: Verdict['before']): string {
  if (range === null) return 'not measured';
  const { ecePp, lowPp, highPp } = range;
  const interval = lowPp === null || highPp === null ? '' : ` [${formatFixed(lowPp, 1)}, ${formatFixed(highPp, 1)}]`;
  return `${formatFixed(ecePp, 1)} pp${interval}`;
}

function temperatureText(temperature: number | null): Markup {
  if (temperature === null) return html`Equal confidence for all options: no finite temperature`;
  return html`Divide its option logits by <code class="copy" data-copy="${String(temperature)}">${formatSignificant(temperature, 3)}</code>`;
}
