import { Command, Option } from 'commander';
import { calibrateStage } from '../../pipeline/calibrate-stage.js';
import { reportStage } from '../../pipeline/report-stage.js';
import { runPipeline } from '../../pipeline/run-pipeline.js';
import { scoreStage } from '../../pipeline/score-stage.js';
import { type RunIndex, writeRunIndex } from '../../pipeline/write/write-run-index.js';
import { TABLE_FORMATS } from '../../report/format-tables.js';
import { type PrintFormat, printResults, printScores } from '../describe/print-results.js';
import {
  addCalibrationFlags,
  addCommonFlags,
  addMethodFlag,
  addPartFlags,
  addWideFlag,
  type CommonFlags,
  runOptions,
} from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { printable } from '../terminal/log.js';
import { pipelineEvents } from '../terminal/pipeline-events.js';
import type { Act, Session } from '../terminal/session.js';

export function pipelineCommand(act: Act): Command {
  const command = new Command('pipeline').description('score, calibrate and report: the whole way');
  return addMethodFlag(addWideFlag(addCalibrationFlags(addCommonFlags(command)))).action((flags: CommonFlags) =>
    act(flags, async (session) => {
      const options = { ...runOptions(flags), command: session.argv };
      const run = await runPipeline(options, pipelineEvents(session, options.out), session.signal);
      printResults(session, run, flags);
      session.progress.sumUp();
      return run.results.status === 'partial' ? EXIT.partial : EXIT.done;
    }),
  );
}

export function scoreCommand(act: Act): Command {
  const command = new Command('score').description(
    'score every answer option with every model of the suite into the cache',
  );
  return addMethodFlag(addPartFlags(addCommonFlags(command))).action((flags: CommonFlags) =>
    act(flags, async (session) => {
      const options = { ...runOptions(flags), command: session.argv };
      const scored = await scoreStage(options, pipelineEvents(session, options.out), session.signal);
      printScores(session, scored);
      session.progress.sumUp();
      return { complete: EXIT.done, partial: EXIT.partial, failed: EXIT.badInput }[scored.status];
    }),
  );
}

export function calibrateCommand(act: Act): Command {
  const command = new Command('calibrate').description(
    'fit temperatures and measure calibration from cached scores; loads no model',
  );
  return addMethodFlag(
    addWideFlag(addCalibrationFlags(addCommonFlags(command, ['refresh', 'max-cost', 'disk', 'keep-for']))),
  ).action((flags: CommonFlags) =>
    act(flags, async (session) => {
      const options = { ...runOptions(flags), command: session.argv };
      const run = await calibrateStage(options, pipelineEvents(session, options.out), session.signal);
      printResults(session, run, flags);
      return run.results.status === 'partial' ? EXIT.partial : EXIT.done;
    }),
  );
}

/** Everything it shows is in the output folder. */
const NOT_OF_REPORT = [
  ...(['models', 'quant', 'datasets', 'cache', 'dataset', 'target', 'source'] as const),
  ...(['limit', 'gpu', 'allow-outside', 'offline', 'refresh', 'max-cost', 'disk', 'keep-for'] as const),
];

type ReportFlags = CommonFlags & { format: PrintFormat; index?: string };

export function reportCommand(act: Act): Command {
  const command = new Command('report')
    .description('report.html, tables and figures from results.json; loads no model')
    .addOption(
      new Option('--format <format>', 'what to print: the table for terminals, or the same for a document or a program')
        .choices(['table', ...TABLE_FORMATS, 'json'])
        .default('table'),
    )
    .option('--index <folder>', 'one page over the runs in the folders of this one, with what changed between them');
  return addWideFlag(addCommonFlags(command, NOT_OF_REPORT)).action((flags: ReportFlags) =>
    act(flags, async (session) => {
      if (flags.index !== undefined) return printIndex(session, await writeRunIndex(flags.index));
      const { log, signal } = session;
      const run = await reportStage(runOptions(flags).out, { events: { onLog: log.log }, signal });
      printResults(session, run, flags);
      return run.results.status === 'partial' ? EXIT.partial : EXIT.done;
    }),
  );
}

/** Where the page over the runs is; code 4 where some run could not be read. */
function printIndex(session: Session, { file, runs, unread }: RunIndex): number {
  const status = unread.length > 0 ? 'partial' : 'complete';
  if (session.json) session.printJson({ schemaVersion: 1, status, file, runs: runs.map(({ name }) => name), unread });
  else session.print(printable(`index: ${file} (${runs.length} ${runs.length === 1 ? 'run' : 'runs'})`));
  for (const { name, reason } of unread) session.log.log('warn', `${name}: not shown: ${reason}`);
  return unread.length > 0 ? EXIT.partial : EXIT.done;
}
