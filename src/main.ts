#!/usr/bin/env node
import { EXIT } from './cli/exit-code.js';
import { internalFault } from './cli/internal-fault.js';
import { runCli } from './cli/run-cli.js';

// `supportcal ls | head` closes the pipe early; that is no fault of anybody.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
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

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
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
});
