import { SupportCalError } from '../../errors/supportcal-error.js';
import { type AtomicStream, writeStreamAtomic } from '../../files/write-stream-atomic.js';
import type { InspectOptions, Inspector } from '../../scoring/inspect-models.js';
import type { Workspace } from '../workspace/workspace.js';
import { failures, type InspectionFailure, inspectionJobs } from './inspect-prompts.js';

/** What `validate --dump-tokens` asks for. */
export interface TokenDump {
  readonly file: string;
  /** Ids of models of the suite; all when absent. */
  readonly models?: readonly string[] | undefined;
  /** Called when all lines are written. */
  onDumped(rows: number, failed: readonly InspectionFailure[]): void;
}

interface Dumping {
  readonly dump: TokenDump;
  readonly inspector: Inspector;
  readonly told: Omit<InspectOptions, 'detail'>;
}

/**
 * One JSON line per model, data set and example: `{model, dataset, id, mode, bos, tokens, options, refused}`, `options`
 * as token ids in option order. The file appears when it is committed.
 */
export async function dumpTokens(
  workspace: Workspace,
  { dump: { file, models, onDumped }, inspector, told }: Dumping,
): Promise<Pick<AtomicStream, 'commit' | 'abort'>> {
  const jobs = await inspectionJobs(workspace, models, (prompts) => prompts);
  const stream = await writeStreamAtomic(file);
  let rows = 0;
  let written: Promise<void> = Promise.resolve();
  const onLines = (
    model: string,
    dataset: string,
    { text, lines }: { readonly text: string; readonly lines: number },
  ) => {
    rows += lines;
    const names = JSON.stringify({ model, dataset }).slice(0, -1);
    // Each line is an object of its own, and no text in JSON has a line's end.
    const named = text.replace(/^\{/gm, () => `${names},`);
    written = written.then(() => stream.write(named));
    // Whoever waits for the last line hears of a failure.
    written.catch(() => undefined);
  };
  try {
    const inspections = await inspector.inspect(jobs, { device: 'cpu' }, { ...told, detail: 'lines', onLines });
    await written;
    if (told.signal?.aborted) throw new SupportCalError('interrupted', 'writing tokens was interrupted: no file');
    onDumped(rows, failures(inspections));
    return stream;
  } catch (error) {
    await stream.abort();
    throw error;
  }
}
