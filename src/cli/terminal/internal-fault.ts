import { redactSecrets, secretsOf } from '../../errors/redact-secrets.js';
import { toolVersion } from '../../pipeline/workspace/tool-version.js';
import type { CliIo } from './io.js';
import { printable } from './log.js';

/**
 * Lines about an error that nobody foresaw: whose fault it is, what is safe, where to look. The last ones are its
 * stack.
 */
export function internalFault(error: unknown, env: CliIo['env']): string[] {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const [first, ...stack] = text.split('\n').map((line) => printable(redactSecrets(line, secretsOf(env))));
  return [
    `internal fault of supportcal ${toolVersion()}, not of your files: ${first}`,
    'please report it with the lines below and run.log of the output folder; scores that were saved are intact',
    ...stack,
  ];
}
