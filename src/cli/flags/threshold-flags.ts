import { type Command, InvalidArgumentError, Option } from 'commander';

/** From which confidence on questions are to be answered. */
export function addThresholdFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--max-error <rate>',
        'mark a question abstain where more than this share of the answered ones could be wrong, such as 0.05',
      ).argParser(share),
    )
    .addOption(
      new Option('--min-confidence <p>', 'mark a question abstain where its calibrated confidence is lower')
        .argParser(share)
        .conflicts('maxError'),
    );
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('expected a share from 0 to 1, such as 0.05.');
  return value;
}
