import type { Results } from '../../results/results-schema.js';
import { formatPercent } from '../text/format-number.js';
import { chosenRows, count, fewerMethods } from '../text/what-is-missing.js';
import { escapeMarkdown, markdownTable } from './escape-markdown.js';

const MAX_SKIPPED = 50;

/** Warnings, what was skipped, the rules behind the numbers, versions. */
export function closingSections(results: Results): string[] {
  return [...warnings(results), ...skipped(results), ...rules(results), ...versions(results)];
}

function warnings({ warnings }: Results): string[] {
  if (warnings.length === 0) return [];
  return ['## Warnings', warnings.map((warning) => `- ${escapeMarkdown(warning)}`).join('\n')];
}

function skipped(results: Results): string[] {
  const { skipped } = results;
  const chosen = chosenRows(results).map((line) => `- ${escapeMarkdown(line)}`);
  const before = chosen.length === 0 ? [] : ['Rows chosen before scoring:', chosen.join('\n')];
  if (skipped.length === 0)
    return [
      '## Skipped',
      `Nothing: every example${before.length > 0 ? ' chosen' : ''} of every model counts.`,
      ...before,
    ];
  const rows = skipped
    .slice(0, MAX_SKIPPED)
    .map((row) => [row.dataset, row.model, row.example ?? 'all', row.reason].map(escapeMarkdown));
  const rest = skipped.length - rows.length;
  return [
    '## Skipped',
    `${count(skipped.length, 'entry').replace('entrys', 'entries')}. ${results.protocol.examples === 'common' ? 'An example that one model in use lacks counts for none of them.' : 'An example counts for the methods that need no model that lacks it.'}`,
    markdownTable(['Data set', 'Model', 'Example', 'Reason'], rows, 'text'),
    ...(rest > 0 ? [`and ${count(rest, 'more row')}; results.json lists all.`] : []),
    ...before,
  ];
}

function rules({ protocol }: Results): string[] {
  const lines = [
    `ECE: ${protocol.bins} bins; ${protocol.eceRule}. A fraction in results.json and the figures' bins, pp (100 x) here.`,
    `Split: ${formatPercent(protocol.calibrationFraction, 0)} % calibration (rounded down), seeds ${protocol.seeds.join(', ')}, generator ${protocol.splitGenerator}; splits.json lists the ids.`,
    'SE: sample standard deviation over seeds / sqrt(seeds). Macro average: mean over targets of the seed means.',
    ...(protocol.bootstrap
      ? [`Bootstrap: ${protocol.bootstrap.rule}; generator ${protocol.bootstrap.generator}.`]
      : []),
    'Marks: label-free methods that cannot be told from the best of their row (multiple comparisons with the best, level 0.05, total standard error); none where nothing can be told apart.',
    '∞: the fit has no finite temperature (weighted boundary margin at or below 0); confidence is 1/K. ∅: no fit; the reason stands below the table.',
    `Methods: ${protocol.methods.join(', ')}.`,
    ...fewerMethods(protocol).map(
      ({ dataset, left }) => `On ${dataset}, as the suite says, without ${left.join(', ')}.`,
    ),
    ...protocol.methodFiles.map(
      ({ file, sha256, methods }) => `Of ${file} (sha256 ${sha256}), not built in: ${methods.join(', ')}.`,
    ),
  ];
  return ['## Rules behind the numbers', lines.map((line) => `- ${escapeMarkdown(line)}`).join('\n')];
}

function versions({ tool }: Results): string[] {
  const line = `supportcal ${tool.version}, node-llama-cpp ${tool.nodeLlamaCpp}, llama.cpp ${tool.llamaCppRelease}, gpu ${tool.gpu}.`;
  return ['## Versions', escapeMarkdown(line)];
}
