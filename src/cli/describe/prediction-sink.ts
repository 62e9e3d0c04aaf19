import { writeStreamAtomic } from '../../files/write-stream-atomic.js';
import {
  type PredictedRow,
  type PredictionFormat,
  predictionHead,
  predictionLine,
} from '../../pipeline/predict/prediction-line.js';
import { printableLines } from '../terminal/log.js';
import type { Session } from '../terminal/session.js';

/** Where predictions go, row by row. */
export interface PredictionSink {
  add(rows: Iterable<PredictedRow>): Promise<void>;
  /** What was added is written now; whoever sends questions one by one waits for the answers. */
  flush(): Promise<void>;
  /** After the last row. */
  end(): Promise<void>;
  /** The run ended before its last row: a file keeps what it held before. */
  abort(): Promise<void>;
  /** false: whoever read the rows has gone away. */
  readonly open: boolean;
  /** Rows so far. */
  readonly count: Record<PredictedRow['status'], number>;
}

/** Characters that are written at once. */
const PIECE = 1 << 16;

/** @param file null: standard output */
export async function predictionSink(
  session: Session,
  file: string | null,
  format: PredictionFormat,
): Promise<PredictionSink> {
  const count = { ok: 0, abstain: 0, failed: 0 };
  const target = file === null ? toStdout(session) : { ...(await writeStreamAtomic(file)), open: () => true };
  let waiting = predictionHead(format);
  const flush = async () => {
    const text = waiting;
    waiting = '';
    if (text !== '') await target.write(text);
  };
  return {
    count,
    get open() {
      return target.open();
    },
    async add(rows) {
      for (const row of rows) {
        count[row.status] += 1;
        waiting += predictionLine(row, format);
        if (waiting.length >= PIECE) await flush();
      }
    },
    flush,
    async end() {
      await flush();
      await target.commit();
    },
    abort: () => target.abort(),
  };
}

/** Waits while the reader of standard output is slow; one that has gone away (`| head`) wants no more. */
function toStdout({ io: { stdout } }: Session) {
  let gone = false;
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      // Text of others must not move the cursor of a terminal; for a program every byte stays.
      stdout.write(stdout.isTTY ? printableLines(text, false) : text, (error) => {
        gone ||= (error as NodeJS.ErrnoException | null | undefined)?.code === 'EPIPE';
        if (error == null || gone) resolve();
        else reject(error);
      });
    });
  return {
    write: async (text: string) => (gone ? undefined : write(text)),
    open: () => !gone,
    commit: async () => undefined,
    abort: async () => undefined,
  };
}
