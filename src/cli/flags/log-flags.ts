import { type Command, Option } from 'commander';
import { COUNTINGS, type Counting } from '../../datasets/logits/harness/harness.js';

/** What may be said of the logs of another harness. */
export interface LogFlags {
  readonly normalize?: Counting;
  readonly filter?: string;
  readonly labelAs?: 'index' | 'text';
}

export function addLogFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--normalize <how>',
        'scores of a log: sum of the log-probabilities of an option, their mean over its tokens, the sum per character ' +
          '(acc_norm of lm-eval), or minus the sum without the prompt (acc_mutual_info) (default: sum)',
      ).choices(COUNTINGS),
    )
    .option('--filter <name>', 'filter of lm-eval whose rows are taken (default: that of the first row)')
    .addOption(
      new Option(
        '--label-as <kind>',
        'what the target of a log is where it could be number and text of different options',
      ).choices(['index', 'text']),
    );
}
