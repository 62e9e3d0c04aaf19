import { Command } from 'commander';
import { type DatasetSummary, type ValidationSummary, validateWorkspace } from '../../pipeline/validate-workspace.js';
import { EXIT } from '../exit-code.js';
import { printable } from '../log.js';
import { addCommonFlags, type CommonFlags, runOptions } from '../options.js';
import type { Act } from '../run-cli.js';

export function validateCommand(act: Act): Command {
  const command = new Command('validate').description(
    'check models, data sets and prompts of a suite without inference',
  );
  return addCommonFlags(command).action((flags: CommonFlags) =>
    act(flags, async (session) => {
      const summary = await validateWorkspace(runOptions(flags));
      if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', ...summary });
      else session.print(describe(summary));
      return EXIT.done;
    }),
  );
}

function describe(summary: ValidationSummary): string {
  const targets = summary.targets.map(
    (each) => `  ${each.target}  own base ${each.ownBase}  references ${each.referencePool.join(', ') || 'none'}`,
  );
  const models = summary.models.map((each) =>
    each.file === null
      ? `  ${each.model}  imported scores`
      : `  ${each.model}  ${each.file}  ${(each.bytes! / 1e6).toFixed(1)} MB`,
  );
  const lines = [`suite ${summary.suite}: no faults found`, '', 'targets', ...targets, '', 'models', ...models];
  for (const dataset of summary.datasets) lines.push('', ...describeDataset(dataset));
  return lines.map(printable).join('\n');
}

function describeDataset(dataset: DatasetSummary): string[] {
  if (dataset.rows === null) return [`data set ${dataset.dataset}: rows come from imports`];
  const counts = (histogram: Readonly<Record<string, number>>) =>
    Object.entries(histogram)
      .map(([value, rows]) => `${value}: ${rows}`)
      .join(', ');
  return [
    `data set ${dataset.dataset}: ${dataset.rows} rows, ${dataset.unlabelled} without a label, ${dataset.leftOut} left out`,
    `  options per row    ${counts(dataset.optionCounts)}`,
    `  right option       ${counts(dataset.labelCounts)}  (0-based position)`,
    `  longest prompt     ${dataset.longestPromptCharacters} characters`,
    ...dataset.warnings.map((warning) => `  warning            ${warning}`),
    '  first prompt',
    ...(dataset.firstPrompt ?? '').split('\n').map((line) => `    | ${line}`),
  ];
}
