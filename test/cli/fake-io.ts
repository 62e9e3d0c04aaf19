import { Readable, Writable } from 'node:stream';
import { runCli } from '../../src/cli/run-cli.js';

/** Runs the command line as a function and keeps what it printed. Not a terminal unless told. */
export async function run(
  argv: readonly string[],
  options: {
    env?: Record<string, string>;
    tty?: boolean;
    answer?: string;
    stdin?: Iterable<string | Uint8Array>;
    /** SIGTERM comes as soon as someone listens for it. */
    interrupted?: boolean;
  } = {},
) {
  const [stdout, stderr] = [capture(options.tty), capture(options.tty)];
  const code = await runCli(argv, {
    stdout: stdout.stream,
    stderr: stderr.stream,
    ...(options.stdin !== undefined && { stdin: Readable.from(options.stdin) }),
    env: options.env ?? {},
    ...(options.answer !== undefined && { ask: async () => options.answer ?? '' }),
    onSignal: (listener) => {
      if (options.interrupted === true) setImmediate(() => listener('SIGTERM'));
      return () => undefined;
    },
  });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

function capture(tty = false) {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY: tty, columns: 160 }), text: () => chunks.join('') };
}
