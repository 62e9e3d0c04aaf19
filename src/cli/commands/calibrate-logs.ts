import path from 'node:path';
import { Command } from 'commander';
import { type GatheredLogs, gatherLogs, type LogsOptions } from '../../pipeline/gather-logs.js';
import { importLogits } from '../../pipeline/import-logits.js';
import { runPipeline } from '../../pipeline/run-pipeline.js';
import type { RunOptions } from '../../pipeline/workspace/run-options.js';
import { printResults } from '../describe/print-results.js';
import { addLogFlags, type LogFlags } from '../flags/log-flags.js';
import {
  addOutputFlags,
  addSplitFlags,
  addWideFlag,
  collect,
  type SplitFlags,
  splitOptions,
} from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { pipelineEvents } from '../terminal/pipeline-events.js';
import type { Act, Session, SessionFlags } from '../terminal/session.js';

type Flags = SessionFlags &
  LogFlags &
  SplitFlags & {
    reference?: string[];
    task?: string[];
    out: string;
    allowMissing?: boolean;
    wide?: boolean;
    columns?: readonly string[];
  };

const HELP = `
Both folders are searched for sample logs (lm-evaluation-harness: samples_TASK_TIME.jsonl, from --log_samples;
Inspect: TIME_TASK_ID.eval or .json, with log-probabilities; HELM: RUN/scenario_state.json; LightEval:
details_TASK_TIME.parquet; OpenCompass: predictions/MODEL/DATASET.json); every task of both is calibrated. The rows must be of the same
documents. OUT/workspace has the models.yaml, data sets and cache that were made of them, for \`supportcal calibrate\`.

  supportcal calibrate-logs logs/base logs/instruct --reference logs/other-base`;

export function calibrateLogsCommand(act: Act): Command {
  const command = new Command('calibrate-logs')
    .description('from the sample logs of another harness to the report, in one step')
    .argument('<base>', 'folder of the logs of the pretrained base')
    .argument('<target>', 'folder of the logs of the post-trained model')
    .option('--reference <folder>', 'logs of another base model, for SupportCal (repeatable)', collect)
    .option('--task <name>', 'only this task (repeatable)', collect)
    .option('--out <dir>', 'where results and reports go', path.join('reports', 'logs'))
    .option('--allow-missing', 'take logs though more than 5 % of their rows are not usable')
    .addHelpText('after', HELP);
  return addOutputFlags(addWideFlag(addSplitFlags(addLogFlags(command)))).action(
    (base: string, target: string, flags: Flags) =>
      act(flags, async (session) => {
        const options = { ...flags, base, target, references: flags.reference ?? [], tasks: flags.task };
        const run = await calibrateLogs(options, flags, session);
        printResults(session, run, flags);
        return run.results.status === 'partial' ? EXIT.partial : EXIT.done;
      }),
  );
}

async function calibrateLogs(
  options: Omit<LogsOptions, 'workspace'>,
  flags: Flags,
  session: Session,
): ReturnType<typeof runPipeline> {
  const gathered = await gatherLogs({ ...options, workspace: path.join(flags.out, 'workspace') });
  const { imports, notes, ...places } = gathered;
  for (const note of notes) session.log.log('warn', note);
  await importAll(gathered, flags, session);
  const run: RunOptions = {
    ...places,
    ...splitOptions(flags),
    command: session.argv,
    out: flags.out,
    gpu: 'off',
    refresh: false,
  };
  return runPipeline(run, pipelineEvents(session, flags.out), session.signal);
}

async function importAll(
  { imports, notes: _, ...places }: GatheredLogs,
  flags: Flags,
  session: Session,
): Promise<void> {
  const together = imports.map(({ model }) => model);
  for (const each of imports) {
    const summary = await importLogits({ ...places, ...each, together, allowMissing: flags.allowMissing ?? false });
    for (const note of summary.notes) session.log.log('warn', `${each.file}: ${note}`);
  }
}
