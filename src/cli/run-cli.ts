import { Command, CommanderError } from 'commander';
import { knowSecrets, redactSecrets, secretsOf } from '../errors/redact-secrets.js';
import { defaultSuite } from '../pipeline/workspace/default-suite.js';
import { toolVersion } from '../pipeline/workspace/tool-version.js';
import { addDatasetCommand } from './commands/add-dataset.js';
import { cacheCommand } from './commands/cache.js';
import { calibrateLogsCommand } from './commands/calibrate-logs.js';
import { compareCommand } from './commands/compare.js';
import { completeCommand, completionCommand } from './commands/completion.js';
import { demoCommand } from './commands/demo.js';
import { dispatchCommand } from './commands/dispatch.js';
import { doctorCommand } from './commands/doctor.js';
import { exportCommand } from './commands/export.js';
import { importCommand } from './commands/import.js';
import { initCommand } from './commands/init.js';
import { lsCommand } from './commands/ls.js';
import { monitorCommand } from './commands/monitor.js';
import { predictCommand } from './commands/predict.js';
import { serveCommand } from './commands/serve.js';
import { setupCpuCommand, setupGpuCommand } from './commands/setup.js';
import { slurmCommand } from './commands/slurm.js';
import { calibrateCommand, pipelineCommand, reportCommand, scoreCommand } from './commands/stages.js';
import { validateCommand } from './commands/validate.js';
import { workerCommand } from './commands/worker.js';
import { EXIT } from './terminal/exit-code.js';
import type { CliIo } from './terminal/io.js';
import { printableJson, printableLines } from './terminal/log.js';
import { type Act, runSession } from './terminal/session.js';

const INTRO = `Calibrate the confidence of a post-trained language model WITHOUT LABELS, against its own pretrained base.

Scores every answer option of a fixed-label task with local GGUF models (llama.cpp), caches the option logits, fits one temperature per model, and reports how well calibrated the model is before and after.`;

const EXAMPLES = `
Examples:
  supportcal demo                                     everything on tiny models that come along, in a minute
  supportcal pipeline                                 the demo suite, from models to report
  supportcal pipeline --suite mine --gpu cuda         a suite of your own
  supportcal doctor --suite paper-medmcqa             what a table of the paper takes; pipeline runs it
  supportcal dispatch --queue redis://host --device cuda   the same, scored by supportcal worker on other machines
  supportcal calibrate --seeds 11,12,13               new splits from cached scores; loads no model
  supportcal compare reports/demo reports/new         what changed between two runs, and why
  supportcal import logits.jsonl --model m --dataset d --unit logits
  supportcal calibrate-logs logs/base logs/instruct    sample logs of lm-evaluation-harness, to the report
  supportcal export --target t --dataset d            its temperature as a file, for use elsewhere
  supportcal predict --artefact t.json --input questions.jsonl   calibrated answers to new questions
  supportcal monitor answers.jsonl --artefact t.json  are they still like those of the fit?
  supportcal serve --artefact t.json --model t.gguf   calibrated answers over HTTP
  supportcal init my-project                          a models.yaml and a data set to start from
  supportcal add-dataset questions.jsonl              propose the YAML of a file
  supportcal validate                                 check files before a long run
  supportcal doctor --suite mine                      devices, memory and tokens before a long run
  supportcal setup-gpu                                llama.cpp built for this machine's NVIDIA card
  supportcal setup-cpu                                llama.cpp built for this machine's processor
  supportcal slurm --suite mine --shards 8            the suite as a Slurm job array
  supportcal completion bash                          what makes a shell complete commands, flags and ids
  supportcal cache verify                             is every stored score as it was written?

Exit codes: 0 done, 1 internal fault, 2 usage, 3 bad input, 4 partial (the report says what is missing),
130/143 interrupted (saved; the same command goes on).`;

/** The command line as a function: arguments and surroundings in, exit code out. */
export async function runCli(argv: readonly string[], io: CliIo): Promise<number> {
  knowSecrets(secretsOf(io.env));
  let exitCode: number = EXIT.done;
  const act: Act = async (flags, command) => {
    exitCode = await runSession(io, argv, flags, command);
  };
  const program = new Command('supportcal')
    .description(INTRO)
    .version(toolVersion(), '-V, --version')
    .addHelpText('after', EXAMPLES)
    .showHelpAfterError('(supportcal --help and supportcal <command> --help explain everything)')
    .showSuggestionAfterError()
    .exitOverride()
    .hook('preAction', (_program, command) => chooseSuite(command))
    .configureOutput({
      writeOut: (text) => io.stdout.write(printableLines(text, false)),
      writeErr: (text) => io.stderr.write(printableLines(redactSecrets(text), false)),
    });
  for (const add of [
    pipelineCommand,
    scoreCommand,
    calibrateCommand,
    calibrateLogsCommand,
    reportCommand,
    dispatchCommand,
    workerCommand,
    compareCommand,
    validateCommand,
    doctorCommand,
    setupGpuCommand,
    setupCpuCommand,
    lsCommand,
    cacheCommand,
    importCommand,
    exportCommand,
    predictCommand,
    monitorCommand,
    serveCommand,
    demoCommand,
    initCommand,
    addDatasetCommand,
    slurmCommand,
    completionCommand,
  ]) {
    const command = add(act);
    for (const each of [command, ...command.commands]) each.copyInheritedSettings(program);
    program.addCommand(command);
  }
  program.addCommand(completeCommand(act, program).copyInheritedSettings(program), { hidden: true });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return EXIT.done;
    if (argv.includes('--json')) io.stdout.write(`${usageDocument(error)}\n`);
    return EXIT.usage;
  }
}

/** Where no suite is named and the file of models has one alone, that one is meant. */
async function chooseSuite(command: Command): Promise<void> {
  if (command.getOptionValueSource('suite') !== 'default') return;
  const { suite, models } = command.opts<{ suite: string; models: string }>();
  command.setOptionValueWithSource('suite', await defaultSuite(models, suite), 'implied');
}

/** A program that asked for one JSON document gets one, also when the flags were wrong. */
function usageDocument({ code, message }: CommanderError): string {
  const text = code === 'commander.help' ? 'a command is missing' : message.replace(/^error: /, '');
  const faults = [{ message: redactSecrets(text) }];
  return printableJson({ schemaVersion: 1, status: 'failed', error: { code: 'usage', faults } });
}
