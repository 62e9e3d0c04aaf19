import { mean } from '../../numeric/mean.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';
import { methodKey } from '../../results/method-label.js';
import type { RunResult } from '../../results/run-schema.js';
import type { PaperColumn, PaperTable } from '../table/paper-table.js';
import { formatCount, formatFixed, formatPercent } from '../text/format-number.js';
import { count } from '../text/what-is-missing.js';
import { escapeMarkdown, markdownTable } from './escape-markdown.js';

/** Ids of examples that the text names. */
const LISTED = 10;

/** Accuracies of methods that answer for themselves, and what rotating the options cost; nothing where none did. */
export function rotationSection(
  table: PaperTable,
  runs: readonly RunResult[],
  { rotations = [], positionReferences = [] }: Pick<Diagnostics, 'rotations' | 'positionReferences'>,
): string[] {
  const costs = rotations.filter(({ dataset }) => dataset === table.dataset);
  const references = positionReferences.filter(({ dataset }) => dataset === table.dataset);
  return [
    ...accuracies(table, runs),
    ...placeSection(costs),
    ...(costs.length === 0 ? [] : costSection(costs)),
    ...references.map(note),
  ];
}

/** A temperature on top changes no answer, so `cape+daca` is left to `cape`. */
function accuracies(table: PaperTable, runs: readonly RunResult[]): string[] {
  const plain = new Map(runs.filter(({ method }) => method === 'vanilla').map((run) => [keyOf(run), run.accuracy]));
  const differs = (run: RunResult) => plain.has(keyOf(run)) && plain.get(keyOf(run)) !== run.accuracy;
  const columns = table.columns.filter(
    (column) => !column.method.includes('+') && runs.some((run) => isOf(column, run) && differs(run)),
  );
  if (columns.length === 0) return [];
  const shown = [...table.columns.filter(({ method }) => method === 'vanilla'), ...columns];
  const rows = table.rows.map(({ target }) => [
    escapeMarkdown(target),
    ...shown.map((column) => accuracyOf(runs.filter((run) => run.target === target && isOf(column, run)))),
  ]);
  return [
    '### Accuracy of methods with answers of their own',
    'In % on the evaluation split, mean over seeds. Every other method keeps the answers of Vanilla.',
    markdownTable(['Target', ...shown.map((column) => escapeMarkdown(column.label))], rows),
  ];
}

/** How far the answers follow the place of an option; nothing for runs of before it was counted. */
function placeSection(costs: NonNullable<Diagnostics['rotations']>): string[] {
  const rows = costs.flatMap(({ target, placeShares, keptAnswers }) =>
    placeShares === undefined || keptAnswers === undefined
      ? []
      : [
          [
            escapeMarkdown(target),
            placeShares.map((share) => formatPercent(share)).join(', '),
            formatPercent(keptAnswers),
          ],
        ],
  );
  if (rows.length === 0) return [];
  return [
    '### Answers and places',
    'Answers in all cyclic orders of the options, in %. Every option stands at every place once, so that the places have equal shares where they decide nothing.',
    markdownTable(['Target', 'Answers by place', 'Same option in every order'], rows),
  ];
}

function costSection(costs: NonNullable<Diagnostics['rotations']>): string[] {
  const rows = costs.map((cost) => {
    const whole = cost.firstEvaluated ? cost.tokens : cost.plainTokens + cost.tokens;
    return [
      escapeMarkdown(cost.target),
      formatCount(cost.plainPasses),
      formatCount(cost.forwardPasses),
      formatCount(cost.plainTokens),
      formatCount(cost.tokens),
      ratio(cost.tokens, cost.unsharedTokens),
      ratio(whole, cost.unsharedTokens),
      ratio(whole, cost.plainTokens),
    ];
  });
  const more = ['CAPE adds / K plain', 'CAPE whole / K plain', 'CAPE whole / plain'];
  return [
    '### Cost of CAPE',
    'Forward passes (prompts whose options are read) and tokens evaluated. The first order of the options is the plain prompt, whose scores are there already: CAPE adds the other K - 1 orders, and what these begin with is evaluated once. As a whole it costs the plain prompts too.',
    markdownTable(['Target', 'Plain passes', 'CAPE adds', 'Plain tokens', 'CAPE adds', ...more], rows),
  ];
}

function note({ examples, options, ids }: NonNullable<Diagnostics['positionReferences']>[number]): string {
  if (examples === 0) return 'No option speaks of its place or of other options.';
  const listed = ids.slice(0, LISTED).map(escapeMarkdown).join(', ');
  const rest = examples > LISTED ? `, and ${formatCount(examples - LISTED)} more (all in diagnostics.json)` : '';
  return `${count(options, 'option')} in ${count(examples, 'example')} speak of their place or of other options (“both A and C”, “all of the above”); they are rotated like any other: ${listed}${rest}.`;
}

function accuracyOf(runs: readonly RunResult[]): string {
  return formatPercent(mean(runs.map((run) => run.accuracy).filter((value) => value !== null)));
}

function ratio(part: number, whole: number): string {
  return formatFixed(whole === 0 ? null : part / whole);
}

function keyOf({ target, seed }: RunResult): string {
  return JSON.stringify([target, seed]);
}

function isOf(column: PaperColumn, run: RunResult): boolean {
  return methodKey(run.method, run.combinationSize) === column.key;
}
