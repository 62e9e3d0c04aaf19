#!/usr/bin/env node
import './cli/terminal/no-eval.js';
import { createInterface } from 'node:readline/promises';
import { runCli } from './cli/run-cli.js';
import { EXIT } from './cli/terminal/exit-code.js';
import { internalFault } from './cli/terminal/internal-fault.js';
import { writeFailed } from './files/write-failed.js';

// `supportcal ls | head` closes the pipe early; that is no fault of anybody.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    if (stream !== process.stdout) throw error;
    // What was printed is cut, whatever was saved; the disk behind `> file` may be full.
    process.stderr.write(`error: ${writeFailed('standard output', error).message}\n`);
    process.exit(EXIT.badInput);
  });
}

// An error where nobody waits for it: the state of the run is unknown, so that it must not go on.
process.on('uncaughtException', (error) => {
  process.stderr.write(
    internalFault(error, process.env)
      .map((line) => `error: ${line}\n`)
      .join(''),
  );
  process.exit(EXIT.internal);
});

// An `await` of what never comes, or a method file that calls process.exit, ends the process as if all were done.
let ended = false;
process.on('exit', (code) => {
  if (ended || code !== 0) return;
  process.stderr.write(
    'error: ended before its work was done: a module, such as a method file, ended it or awaits what never comes\n',
  );
  process.exitCode = EXIT.internal;
});

/** Asks on stderr, since stdout carries results; an answer that never comes is none. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
  lines.on('SIGINT', () => {
    lines.close();
    process.emit('SIGINT');
  });
  return Promise.race([lines.question(question), closed]).finally(() => lines.close());
}

// No `await` at the top: the build makes CommonJS of this module.
void runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: process.env,
  ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
  onSignal(listener) {
    const onInt = () => listener('SIGINT');
    const onTerm = () => listener('SIGTERM');
    process.on('SIGINT', onInt);
    process.on('SIGTERM', onTerm);
    return () => {
      process.off('SIGINT', onInt);
      process.off('SIGTERM', onTerm);
    };
  },
}).then((code) => {
  process.exitCode = code;
  ended = true;
});
