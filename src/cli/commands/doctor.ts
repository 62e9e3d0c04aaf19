import { Command } from 'commander';
import { doctor } from '../../pipeline/doctor.js';
import { describeDoctor } from '../describe/describe-doctor.js';
import { addCommonFlags, addMethodFlag, type CommonFlags, runOptions } from '../flags/options.js';
import { EXIT } from '../terminal/exit-code.js';
import { printable } from '../terminal/log.js';
import type { Act } from '../terminal/session.js';
import { tokenisingLines } from '../terminal/tokenising-lines.js';

export function doctorCommand(act: Act): Command {
  const command = new Command('doctor').description(
    'versions, devices, and per model of the suite: memory plan, start token, option tokens; downloads, disk, memory and hours that a run takes; loads no weights, fetches nothing',
  );
  command.option('--probe', 'also score with every model that is here for two seconds: hours from its real speed');
  addMethodFlag(addCommonFlags(command, ['out', 'refresh', 'max-cost']));
  return command.action((flags: CommonFlags & { probe?: boolean }) =>
    act(flags, async (session) => {
      const onTokenised = flags.quiet ? () => {} : tokenisingLines(session.progress.print);
      const report = await doctor(runOptions(flags), {
        signal: session.signal,
        onTokenised,
        speeds: flags.probe === true,
      });
      const status = report.problems.length === 0 ? 'complete' : 'partial';
      if (session.json) session.printJson({ schemaVersion: 1, status, ...report });
      else session.print(describeDoctor(report).map(printable).join('\n'));
      return status === 'complete' ? EXIT.done : EXIT.partial;
    }),
  );
}
