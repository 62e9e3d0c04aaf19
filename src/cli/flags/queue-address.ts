import { type Command, Option } from 'commander';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { type QueueAddress, queueAddress } from '../../queue/server/queue-address.js';
import type { CliIo } from '../terminal/io.js';

export interface QueueFlags {
  queue?: string;
  queueEnv?: string;
}

const VARIABLE = 'SUPPORTCAL_QUEUE';

/** Where the queue is, for the two commands that share one. */
export function addQueueFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--queue <url>',
        'Valkey or Redis server: redis://host:6379/0, or rediss:// for TLS; without password, which everybody on this machine could read here',
      ),
    )
    .addOption(
      new Option(
        '--queue-env <name>',
        `variable of the environment that holds the address with user and password, redis://user:password@host (default: ${VARIABLE})`,
      ),
    );
}

/**
 * The address that was asked for.
 *
 * @throws SupportCalError usage: none, two, or one that cannot be read
 */
export function queueFrom({ queue, queueEnv }: QueueFlags, env: CliIo['env']): QueueAddress {
  if (queue !== undefined && queueEnv !== undefined) {
    throw new SupportCalError('usage', '--queue and --queue-env both say where the queue is; give one of them');
  }
  const text = queue ?? env[queueEnv ?? VARIABLE];
  if (text === undefined || text === '') {
    const missing = queueEnv === undefined ? '' : `; ${queueEnv}, which --queue-env names, is not set`;
    throw new SupportCalError('usage', `no queue is named: --queue redis://HOST, or ${VARIABLE}${missing}`);
  }
  const address = queueAddress(text);
  if (queue !== undefined && address.password !== null) {
    const message = `the password of the queue is on the command line, where everybody on this machine can read it; put the address into ${VARIABLE}`;
    throw new SupportCalError('usage', message);
  }
  return address;
}
