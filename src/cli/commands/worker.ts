import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { GpuChoice } from '../../contract/device.js';
import { workerStage } from '../../pipeline/worker-stage.js';
import { openQueueServer } from '../../queue/server/queue-server.js';
import { addFlags, addOutputFlags, collect } from '../flags/options.js';
import { addQueueFlags, type QueueFlags, queueFrom } from '../flags/queue-address.js';
import { EXIT } from '../terminal/exit-code.js';
import { pipelineEvents } from '../terminal/pipeline-events.js';
import type { Act, SessionFlags } from '../terminal/session.js';

type WorkerFlags = SessionFlags &
  QueueFlags & {
    models?: string;
    quant?: string;
    modelsDir?: string[];
    cache: string;
    gpu: GpuChoice;
    name?: string;
    idleExit?: number;
    offline?: boolean;
  };

const EXAMPLES = `
How it works:
  Takes ranges of rows that \`supportcal dispatch\` put on the server, of dispatchers of the same version that ask for
  the device of this machine. The model of a range is found by the sha256 of its file: among the files of models.yaml,
  then in the folders of --models-dir, then on the hub, from which it is fetched into --cache. Nothing else is read, and
  no scores are kept here. SIGTERM: what is in hand is handed in, the rest goes to others, exit code 0. Under
  systemd, Docker or another supervisor start \`node dist/main.js worker\` or the installed \`supportcal worker\`: npm and
  npx end by SIGTERM and leave it at work.

Examples:
  supportcal worker --queue redis://queue:6379 --models-dir /models
  SUPPORTCAL_QUEUE=rediss://me:secret@queue:6379 supportcal worker --gpu cuda --idle-exit 300
  CUDA_VISIBLE_DEVICES=1 supportcal worker --queue redis://queue:6379    one worker for each card`;

const DEFAULT_MODELS = 'models.yaml';

export function workerCommand(act: Act): Command {
  const command = new Command('worker')
    .description('score what `supportcal dispatch` put on a queue, with the device of this machine')
    .addOption(
      new Option('--models <file>', 'models.yaml whose files are looked through (default: models.yaml, if it is here)'),
    )
    .option('--models-dir <dir>', 'folder that is looked through for GGUF files, with all in it (repeatable)', collect);
  addFlags(addQueueFlags(command), ['quant', 'gpu', 'offline']);
  command
    .option('--cache <dir>', 'downloads, and what is remembered of files and devices; no scores', 'cache')
    .option('--name <name>', 'name in the log of the dispatcher (default: of this machine, and a number)')
    .option('--idle-exit <seconds>', 'end when there was nothing to do for so long (default: never)', seconds);
  return addOutputFlags(command)
    .addHelpText('after', EXAMPLES)
    .action((flags: WorkerFlags) =>
      act(flags, async (session) => {
        const server = await openQueueServer(queueFrom(flags, session.io.env), session.log.log);
        try {
          const summary = await workerStage(optionsOf(flags), server, pipelineEvents(session, null), session.signal);
          if (session.json) session.printJson({ schemaVersion: 1, status: 'complete', ...summary });
          else session.print(`${summary.rows} rows scored on ${summary.device}`);
          return EXIT.done;
        } finally {
          await server.close();
        }
      }),
    );
}

function optionsOf(flags: WorkerFlags) {
  const { quant, models = existsSync(DEFAULT_MODELS) ? DEFAULT_MODELS : null } = flags;
  return {
    models,
    ...(quant !== undefined && { quant }),
    modelsDirs: flags.modelsDir ?? [],
    cache: flags.cache,
    gpu: flags.gpu,
    offline: flags.offline ?? false,
    name: flags.name ?? `${hostname()}-${randomBytes(3).toString('hex')}`,
    idleSeconds: flags.idleExit ?? null,
  };
}

function seconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value < 1e9)) {
    throw new InvalidArgumentError('expected a number of seconds, such as 300.');
  }
  return value;
}
