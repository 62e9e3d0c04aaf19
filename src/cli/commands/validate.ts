import { Command } from 'commander';
import { selectionText } from '../../datasets/example/row-selection.js';
import { type InspectionFailure, refuseUnknown, showPrompts } from '../../pipeline/estimate/inspect-prompts.js';
import type { ModelEstimate } from '../../pipeline/estimate/model-estimate.js';
import { type ProbedMass, probeOptionMass } from '../../pipeline/probe-option-mass.js';
import { type DatasetSummary, type ValidationSummary, validateWorkspace } from '../../pipeline/validate-workspace.js';
import { describePrompt } from '../describe/show-prompt.js';
import { addCommonFlags, addMethodFlag, type CommonFlags, collect, runOptions } from '../flags/options.js';
import { hoursText } from '../terminal/duration.js';
import { EXIT } from '../terminal/exit-code.js';
import { printable } from '../terminal/log.js';
import { pipelineEvents } from '../terminal/pipeline-events.js';
import type { Act } from '../terminal/session.js';
import { alignedRows, textTable } from '../terminal/text-table.js';
import { tokenisingLines } from '../terminal/tokenising-lines.js';

interface ValidateFlags extends CommonFlags {
  model?: string[];
  showPrompt?: string;
  dumpTokens?: string;
  probe?: boolean;
}

export function validateCommand(act: Act): Command {
  const command = new Command('validate')
    .description('check models, data sets and prompts of a suite without inference')
    .option(
      '--show-prompt <id>',
      'print the prompt of one example, by its id or number, for each model: text, tokens, options, start token',
    )
    .option('--dump-tokens <file>', 'write the tokens of every example for each model, as JSON Lines')
    .option('--probe', 'load every model and score five rows of each data set: does it answer with one of the options?')
    .option('--model <id>', 'with the two above: only this model (repeatable)', collect);
  return addMethodFlag(addCommonFlags(command, ['out', 'refresh', 'max-cost', 'disk', 'keep-for'])).action(
    (flags: ValidateFlags) =>
      act(flags, async (session) => {
        const options = runOptions(flags);
        const onTokenised = flags.quiet ? () => {} : tokenisingLines(session.progress.print);
        const filter = { ...(flags.model && { models: flags.model }), signal: session.signal, onTokenised };
        if (flags.showPrompt !== undefined || flags.model !== undefined)
          await refuseUnknown(options, { example: flags.showPrompt, models: flags.model });
        const dumps: { readonly rows: number; readonly failed: readonly InspectionFailure[] }[] = [];
        const dump = flags.dumpTokens !== undefined && {
          file: flags.dumpTokens,
          models: flags.model,
          onDumped: (rows: number, failed: readonly InspectionFailure[]) => void dumps.push({ rows, failed }),
        };
        const summary = await validateWorkspace(options, {
          events: { ...session.progress.events, onLog: (level, message) => session.log.log(level, message) },
          signal: session.signal,
          onTokenised,
          ...(dump && { dump }),
          ...((flags.showPrompt ?? flags.dumpTokens) !== undefined && { vocabularies: 'pass' }),
        });
        const [dumped = null] = dumps;
        const shown = flags.showPrompt === undefined ? null : await showPrompts(options, flags.showPrompt, filter);
        const events = pipelineEvents(session, null);
        const probed = flags.probe === true ? await probeOptionMass(options, events, session.signal) : [];
        const unfit = probed.flatMap(({ model, dataset, problem }) =>
          problem === null ? [] : [{ model, reason: `${dataset}: ${problem}` }],
        );
        const failed = [...unfit, ...(shown?.failed ?? []), ...(dumped?.failed ?? [])];
        const status = failed.length === 0 ? 'complete' : 'partial';
        for (const what of summary.unchecked) session.log.log('warn', `not checked: ${what}`);
        for (const { model, reason } of failed) session.log.log('error', `${model}: ${reason}`);
        if (session.json) {
          const extra = {
            ...(shown && { prompts: shown.prompts }),
            ...(dumped && { dumpedRows: dumped.rows }),
            ...(flags.probe && { probed }),
          };
          session.printJson({ schemaVersion: 1, status, ...summary, ...extra, ...(failed.length > 0 && { failed }) });
        } else if (shown === null && dumped === null)
          session.print([describe(summary), ...describeProbe(probed)].join('\n'));
        else {
          for (const each of shown?.prompts ?? []) session.print(describePrompt(each).map(printable).join('\n'));
          if (dumped) session.print(`${dumped.rows} rows in ${flags.dumpTokens}`);
        }
        return failed.length === 0 ? EXIT.done : EXIT.partial;
      }),
  );
}

function describe(summary: ValidationSummary): string {
  const targets = alignedRows(
    summary.targets.map(({ target, ownBase, referencePool }) => {
      return [target, `own base ${ownBase}`, `references ${referencePool.join(', ') || 'none'}`];
    }),
  );
  const models = alignedRows(
    summary.models.map(({ model, file, bytes }) => {
      if (file === null) return [model, 'imported scores', ''];
      return [model, file, bytes === null ? 'not downloaded yet' : `${(bytes / 1e6).toFixed(1)} MB`];
    }),
  );
  const found = summary.unchecked.length === 0 ? 'no faults found' : 'no faults found in what could be checked';
  const lines = [`suite ${summary.suite}: ${found}`, '', 'targets', ...targets, '', 'models', ...models];
  for (const dataset of summary.datasets) lines.push('', ...describeDataset(dataset));
  if (summary.problems.length > 0) lines.push('', 'problems', ...summary.problems.map((problem) => `  ${problem}`));
  const { models: estimated, hours } = summary.estimate;
  const scored = estimated.filter(({ state }) => state !== 'imported');
  if (scored.length === 0) return lines.map(printable).join('\n');
  lines.push('', 'a whole run from an empty cache (~ is an estimate; its rules: supportcal doctor)');
  const header = ['model', 'tokens', 'written', 'longest prompt', 'time'];
  lines.push(...textTable(header, scored.map(estimateRow)).map((line) => `  ${line}`));
  lines.push(
    '  longest: of every way that a model is asked, in text mode with the longest option, with room for a reply',
  );
  lines.push(`  time  ${hours === null ? 'unknown' : `~${hoursText(hours)}`}`);
  return lines.map(printable).join('\n');
}

function describeProbe(probed: readonly ProbedMass[]): string[] {
  if (probed.length === 0) return [];
  const rows = probed.map(({ model, dataset, rows, asked, medianOptionMass, problem }) => {
    const mass = medianOptionMass === null ? '-' : medianOptionMass.toPrecision(3);
    return [model, dataset, `${rows} of ${asked}`, mass, problem === null ? 'yes' : 'NO'];
  });
  const table = textTable(['model', 'data set', 'rows', 'median option mass', 'answers'], rows);
  return ['', 'probe: do models answer with one of the options?', ...table.map((line) => printable(`  ${line}`))];
}

function estimateRow({ model, tokens, tokensFrom, longestTokens, generatedTokens, hours }: ModelEstimate): string[] {
  const about = tokensFrom === 'counted' ? '' : '~';
  const known = (text: (value: number) => string, value: number | null) => (value === null ? '?' : text(value));
  return [
    model,
    known((value) => `${about}${formatTokens(value)}`, tokens),
    known((value) => (value === 0 ? '0' : `~${formatTokens(value)}`), generatedTokens),
    known((value) => `${about}${value} tokens`, longestTokens),
    known((value) => `~${hoursText(value)}`, hours),
  ];
}

function describeDataset(dataset: DatasetSummary): string[] {
  if (!dataset.fetched) return [`data set ${dataset.dataset}: rows not checked, since they were never fetched`];
  if (dataset.rows === null) return [`data set ${dataset.dataset}: rows come from imports`];
  const counts = (histogram: Readonly<Record<string, number>>) =>
    Object.entries(histogram)
      .map(([value, rows]) => `${value}: ${rows}`)
      .join(', ');
  const labels = counts(dataset.labelCounts);
  return [
    `data set ${dataset.dataset}: ${dataset.rows} rows, ${dataset.unlabelled} without a label, ${dataset.leftOut} left out`,
    ...dataset.selection.map((step) => `  chosen             ${selectionText(step)}`),
    `  options per row    ${counts(dataset.optionCounts)}`,
    `  right option       ${labels === '' ? 'not known: no row has a label' : `${labels}  (0-based position)`}`,
    `  longest prompt     ${dataset.longestPromptCharacters} characters`,
    ...dataset.rules.map((rule) => `  rule               ${rule}`),
    ...dataset.warnings.map((warning) => `  warning            ${warning}`),
    '  first prompt',
    ...(dataset.firstPrompt ?? '').split('\n').map((line) => `    | ${line}`),
  ];
}

function formatTokens(tokens: number): string {
  return tokens < 1e6 ? String(Math.round(tokens)) : `${(tokens / 1e6).toFixed(1)}M`;
}
