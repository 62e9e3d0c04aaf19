import type { Results } from '../../../results/results-schema.js';
import type { Verdict } from '../../../results/verdict-schema.js';
import type { EnoughQuestions } from '../../outcome/enough-questions.js';
import { claimSentence, leadVerdict } from '../../outcome/lead-verdict.js';
import { count } from '../../text/what-is-missing.js';
import { html, type Markup } from '../page/markup.js';
import { completeness, healthNote, untoldNote } from './completeness.js';
import { enoughList, verdictCard } from './verdict-card.js';
import { verdictTable } from './verdict-table.js';

/** What the first screen is made of. */
export interface Opening {
  readonly results: Results;
  readonly verdicts: readonly Verdict[];
  readonly enough: readonly EnoughQuestions[];
  /** The diagrams before and after of the target that is shown first; null: not measured. */
  readonly diagrams: Markup | null;
}

/**
 * The answer, in the order in which a reader asks: what was calibrated, what the model claims and how often it is
 * right, what it looks like, what to do, how many questions that takes, and every model in one table.
 */
export function openingSection({ results, verdicts, enough, diagrams }: Opening): Markup {
  const lead = leadVerdict(verdicts);
  const sole = verdicts.length === 1;
  return html`<header class="opening">
<p class="eyebrow">SupportCal calibration report · ${factsOf(results, verdicts).join(' · ')}</p>
<h1>${results.title ?? results.suite}</h1>
${completeness(results)}
</header>
<section id="answer" aria-labelledby="answer-h">
<h2 id="answer-h" class="claim">${(lead && claimSentence(lead, oneDataset(verdicts))) ?? 'No model has a confidence to show.'}</h2>
${lead !== null && !sole && html`<p class="lead">${whyFirst(lead, verdicts.length)}</p>`}
<div class="answer${diagrams === null && ' alone'}">${diagrams}
<div class="side">${lead && verdictCard(lead)}${enoughList(enough)}${diagrams && html`<p class="note">The answer as a picture to paste: <a class="file" href="figures/card.svg">figures/card.svg</a></p>`}</div></div>
${verdictTable(verdicts, results.runs)}
${healthNote(results)}${untoldNote(results)}
</section>`;
}

function factsOf({ suite, protocol, createdAt }: Results, verdicts: readonly Verdict[]): string[] {
  const targets = new Set(verdicts.map(({ target }) => target));
  const datasets = new Set(verdicts.map(({ dataset }) => dataset));
  return [
    suite,
    targets.size === 1 ? ([...targets][0] ?? '') : count(targets.size, 'post-trained model'),
    datasets.size === 1 ? ([...datasets][0] ?? '') : count(datasets.size, 'data set'),
    count(protocol.seeds.length, 'split'),
    createdAt.slice(0, 10),
  ];
}

function oneDataset(verdicts: readonly Verdict[]): boolean {
  return new Set(verdicts.map(({ dataset }) => dataset)).size === 1;
}

function whyFirst({ before }: Verdict, all: number): string {
  const which = before === null ? 'The first' : 'The widest gap between claim and truth';
  return `${which} of ${all} pairs of a model and a data set; all of them are in the table below.`;
}
