import { redactSecrets } from '../../errors/redact-secrets.js';
import { formatFault, SupportCalError } from '../../errors/supportcal-error.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { EXIT, exitCodeOf } from './exit-code.js';
import { internalFault } from './internal-fault.js';
import { type CliIo, isFancy } from './io.js';
import { createLog, type Log, type LogLevel, printableJson, printableLines } from './log.js';
import { Progress } from './progress.js';

/** What a command gets to work with. */
export interface Session {
  /** The arguments that were given, without secrets. */
  readonly argv: readonly string[];
  readonly io: CliIo;
  readonly log: Log;
  readonly progress: Progress;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  readonly json: boolean;
  readonly color: boolean;
  /** Columns of the terminal; infinite when stdout is a file. */
  readonly width: number;
  print(text: string): void;
  printJson(value: unknown): void;
}

export interface SessionFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly logLevel?: LogLevel;
}

/** Registers an action that runs inside a session; the exit code of the last action is the exit code of the tool. */
export type Act = <F extends SessionFlags>(flags: F, command: (session: Session) => Promise<number>) => Promise<void>;

/**
 * Runs one command and turns its end into an exit code: its own, that of an error, or 128 + signal when it was
 * interrupted (rows scored so far are saved, the same command goes on). A second signal ends the process at once.
 */
export async function runSession(
  io: CliIo,
  argv: readonly string[],
  flags: SessionFlags,
  command: (session: Session) => Promise<number>,
): Promise<number> {
  const json = flags.json ?? false;
  const progress = new Progress(io, flags.quiet ?? false);
  const log = createLog(flags.quiet ? 'warn' : (flags.logLevel ?? 'warn'), progress.print);
  const abort = new AbortController();
  let interruptedBy: 'SIGINT' | 'SIGTERM' | undefined;
  const stopListening = io.onSignal((signal) => {
    interruptedBy = signal;
    stopListening();
    progress.print(`${signal}: finishing the rows in hand; once more ends at once`);
    abort.abort();
  });
  const session: Session = {
    argv: argv.map((argument) => redactSecrets(argument)),
    io,
    log,
    progress,
    signal: abort.signal,
    json,
    color: isFancy(io.stdout, io.env),
    width: io.stdout.columns ?? Number.POSITIVE_INFINITY,
    print: (text) => {
      io.stdout.write(printableLines(text.endsWith('\n') ? text : `${text}\n`, isFancy(io.stdout, io.env)));
    },
    printJson: (value) => void io.stdout.write(`${printableJson(value)}\n`),
  };
  try {
    return await command(session);
  } catch (error) {
    progress.stop();
    if (interruptedBy) {
      progress.print('interrupted: nothing that was scored is lost; run the same command again to go on');
      if (json) session.printJson({ schemaVersion: 1, status: 'interrupted' });
      return interruptedBy === 'SIGINT' ? EXIT.sigint : EXIT.sigterm;
    }
    return reportFailure(session, error);
  } finally {
    progress.stop();
    stopListening();
    await log.close();
  }
}

/** What the system lacks is no fault of ours, wherever it strikes. */
const SCARCE = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'EDQUOT', 'EROFS', 'EIO']);

function systemFault(error: unknown): SupportCalError | null {
  const { code, path } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined || !SCARCE.has(code)) return null;
  return new SupportCalError('missing-file', { file: path, message: whyUnreadable(error) }, { cause: error });
}

function reportFailure(session: Session, thrown: unknown): number {
  const error = systemFault(thrown) ?? thrown;
  if (error instanceof SupportCalError) {
    const { code, faults, unchecked } = error;
    for (const fault of faults) session.log.log('error', formatFault(fault));
    for (const what of unchecked) session.log.log('warn', `not checked: ${what}`);
    if (session.json) {
      const more = unchecked.length > 0 && { unchecked };
      session.printJson({ schemaVersion: 1, status: 'failed', error: { code, faults, ...more } });
    }
    return exitCodeOf(error.code);
  }
  for (const line of internalFault(error, session.io.env)) session.log.log('error', line);
  if (session.json)
    session.printJson({
      schemaVersion: 1,
      status: 'failed',
      error: { code: 'internal', faults: [{ message: redactSecrets(String(error)) }] },
    });
  return EXIT.internal;
}
