import { Command, InvalidArgumentError, Option } from 'commander';
import { DEVICES, type Device } from '../../contract/device.js';
import { runPipeline } from '../../pipeline/run-pipeline.js';
import { scoreStage } from '../../pipeline/score-stage.js';
import { ownVersions } from '../../pipeline/workspace/own-versions.js';
import { RETRY } from '../../queue/queue-runner.js';
import { queueScorer } from '../../queue/queue-scorer.js';
import { openQueueServer } from '../../queue/server/queue-server.js';
import { printResults, printScores } from '../describe/print-results.js';
import {
  addCalibrationFlags,
  addCommonFlags,
  addMethodFlag,
  addWideFlag,
  type CommonFlags,
  runOptions,
} from '../flags/options.js';
import { addQueueFlags, type QueueFlags, queueFrom } from '../flags/queue-address.js';
import { EXIT } from '../terminal/exit-code.js';
import { pipelineEvents } from '../terminal/pipeline-events.js';
import type { Act, Session } from '../terminal/session.js';

type DispatchFlags = CommonFlags &
  QueueFlags & { device: Device; scoreOnly?: boolean; patience?: number; hold: number };

const EXAMPLES = `
How it works:
  What the cache lacks is put on the server in ranges of up to 64 rows, a queue for each model. Workers anywhere find the
  model by its hash, score, and send the rows back; this process alone writes the cache, then calibrates and reports as
  \`pipeline\` does. It needs no device, and no model file that the hub has. A range whose worker dies goes to another; one
  that fails three times is set aside with its reason, the others go on, and the exit code is 4.

Examples:
  supportcal dispatch --suite mine --queue redis://queue:6379 --device cuda
  SUPPORTCAL_QUEUE=rediss://me:secret@queue:6379 supportcal dispatch --suite mine --device cuda --score-only
  supportcal worker --queue redis://queue:6379 --models-dir /models           on each machine with a card`;

export function dispatchCommand(act: Act): Command {
  const command = new Command('dispatch')
    .description('score a suite with workers on a queue (Valkey or Redis), then calibrate and report')
    .addOption(
      new Option('--device <name>', 'device that the workers compute on; scores of each device are kept apart')
        .choices([...DEVICES])
        .makeOptionMandatory(),
    )
    .option('--score-only', 'end when the scores are in the cache')
    .option(
      '--patience <minutes>',
      'a model that no row came of for so long has failed (default: workers are waited for)',
      minutes,
    )
    .option(
      '--hold <seconds>',
      'a range whose worker says nothing for so long goes to another worker',
      holdSeconds,
      RETRY.holdMs / 1000,
    );
  const flagged = addMethodFlag(
    addWideFlag(addCalibrationFlags(addCommonFlags(addQueueFlags(command), ['gpu', 'disk', 'keep-for']))),
  );
  return flagged.addHelpText('after', EXAMPLES).action((flags: DispatchFlags) =>
    act(flags, async (session) => {
      const address = queueFrom(flags, session.io.env);
      const server = await openQueueServer(address, session.log.log);
      try {
        return await dispatch(session, flags, server);
      } finally {
        await server.close();
      }
    }),
  );
}

async function dispatch(
  session: Session,
  flags: DispatchFlags,
  server: Awaited<ReturnType<typeof openQueueServer>>,
): Promise<number> {
  const options = { ...runOptions(flags), command: session.argv, elsewhere: { device: flags.device } };
  const events = pipelineEvents(session, options.out);
  const scorer = queueScorer({
    server,
    versions: ownVersions(flags.device),
    onLog: session.log.log,
    retry: { ...RETRY, holdMs: flags.hold * 1000 },
    patienceMs: flags.patience === undefined ? null : flags.patience * 60_000,
  });
  if (flags.scoreOnly) {
    const scored = await scoreStage(options, events, session.signal, scorer);
    printScores(session, scored);
    return { complete: EXIT.done, partial: EXIT.partial, failed: EXIT.badInput }[scored.status];
  }
  const run = await runPipeline(options, events, session.signal, scorer);
  printResults(session, run, flags);
  return run.results.status === 'partial' ? EXIT.partial : EXIT.done;
}

function minutes(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0 && value < 1e6)) {
    throw new InvalidArgumentError('expected a number of minutes above 0, such as 30.');
  }
  return value;
}

function holdSeconds(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 3600) {
    throw new InvalidArgumentError('expected whole seconds from 1 to 3600.');
  }
  return value;
}
