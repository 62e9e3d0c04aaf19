import type { Results } from '../../../results/results-schema.js';
import { healthLines } from '../../text/health-lines.js';
import { untoldLines } from '../../text/untold-lines.js';
import { missingParts } from '../../text/what-is-missing.js';
import { html, type Markup } from '../page/markup.js';

/** Whether anything is missing, and what. */
export function completeness(results: Results): Markup {
  if (results.status === 'complete') {
    return html`<p class="status whole"><b>Complete.</b> Every example${results.selection ? ' chosen' : ''} of every model counts.</p>`;
  }
  const parts = missingParts(results, (name) => name);
  return html`<p class="status partial"><b>Partial run.</b> ${parts.join('; ') || 'Something was left out'}. <a href="#skipped">What is missing and why</a></p>`;
}

/** What options that a server did not tell leave open; nothing where every option was told. */
export function untoldNote(results: Results): Markup | null {
  const lines = untoldLines(results, (text) => text);
  if (lines.length === 0) return null;
  return html`<div class="status partial"><b>Options that a server did not tell</b><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>
`;
}

/** Numbers that mean little, each with its reason; nothing where all mean something. */
export function healthNote(results: Results): Markup | null {
  const lines = healthLines(results, (text) => text);
  if (lines.length === 0) return null;
  return html`<div class="status partial"><b>Numbers that mean little</b><ul>${lines.map((line) => html`<li>${line}</li>`)}</ul></div>
`;
}
