import { Command } from 'commander';
import { type DoctorOptions, doctor } from '../../pipeline/doctor.js';
import { describeDoctor } from '../describe/describe-doctor.js';
import { rateText, shapeText } from '../describe/describe-tuned.js';
import { addCommonFlags, addMethodFlag, type CommonFlags, runOptions } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { printable } from '../terminal/log.js';
import type { Act } from '../terminal/session.js';
import { tokenisingLines } from '../terminal/tokenising-lines.js';

export function doctorCommand(act: Act): Command {
  const command = new Command('doctor').description(
    'versions, devices, and per model of the suite: memory plan, start token, option tokens; downloads, disk, memory and hours that a run takes; fetches nothing, and loads no weights but for --probe and --tune',
  );
  command.option('--probe', 'also score with every model that is here for two seconds: hours from its real speed');
  command.option(
    '--tune',
    'also look for contexts, sequences and batches that are faster on this card, a minute for letters and two for texts and free replies with each size of model file; runs take them from then on',
  );
  addMethodFlag(addCommonFlags(command, ['out', 'refresh', 'max-cost']));
  return command.action((flags: CommonFlags & { probe?: boolean; tune?: boolean }) =>
    act(flags, async (session) => {
      const onTokenised = flags.quiet ? () => {} : tokenisingLines(session.progress.print);
      const report = await doctor(runOptions(flags), {
        signal: session.signal,
        onTokenised,
        speeds: flags.probe === true,
        tune: flags.tune === true,
        ...(!flags.quiet && tuningLines(session.progress.print)),
      });
      const status = report.problems.length === 0 ? 'complete' : 'partial';
      if (session.json) session.printJson({ schemaVersion: 1, status, ...report });
      else session.print(describeDoctor(report).map(printable).join('\n'));
      return status === 'complete' ? EXIT.done : EXIT.partial;
    }),
  );
}

/** Trials of a search, about: it ends where nothing gains any more. */
const SOME_TRIALS = 10;

/** A line for each trial, of a few seconds: how many there will be is not known ahead. */
function tuningLines(print: (line: string) => void): Pick<DoctorOptions, 'onModel' | 'onTrial'> {
  const started = performance.now();
  let trials = 0;
  const line = (model: string, what: string) => {
    const seconds = Math.round((performance.now() - started) / 1000);
    print(`tuning ${printable(model)} (${seconds} s): ${what}`);
  };
  return {
    onModel: (model) => {
      trials = 0;
      line(model, 'loading it and tokenising its prompts');
    },
    onTrial: (model, shape, rate) => {
      const trial = ++trials <= SOME_TRIALS ? `trial ${trials} of some ${SOME_TRIALS}` : `trial ${trials}`;
      const found = rate === null ? 'not enough memory, or its evaluation fails' : `${rateText(rate)} rows/s`;
      line(model, `${trial}, ${shapeText(shape)}: ${found}`);
    },
  };
}
