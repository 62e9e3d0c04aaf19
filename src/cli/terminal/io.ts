/** Everything the command line touches of its surroundings, so that a test can stand in for a terminal. */
export interface CliIo {
  /** Carries results and nothing else. */
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Progress, log lines and errors. */
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** What is piped into the command; absent: nothing. */
  readonly stdin?: AsyncIterable<Uint8Array | string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Puts a question to the person at the terminal; absent where nobody can answer. */
  readonly ask?: (question: string) => Promise<string>;
  /** Calls back on SIGINT and SIGTERM; returns how to stop listening. */
  onSignal(listener: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
}

/** Whether block characters come out as such: a terminal whose locale is UTF-8 and that is no bare console. */
export function showsBlocks(stream: CliIo['stdout'], env: CliIo['env']): boolean {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  const knows = /utf-?8/i.test(locale) || env.WT_SESSION !== undefined;
  return stream.isTTY === true && stream.columns !== undefined && knows && env.TERM !== 'dumb' && env.TERM !== 'linux';
}

/** Colour and moving bars only where a person looks at a terminal that can show them. */
export function isFancy(stream: CliIo['stdout'], env: CliIo['env']): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return stream.isTTY === true && env.TERM !== 'dumb' && !env.CI;
}
