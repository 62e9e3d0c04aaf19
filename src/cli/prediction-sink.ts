import { once } from 'node:events';
import { type PredictedRow, type PredictionFormat, predictionHead, predictionLine } from '../deploy/prediction-line.js';
import { writeStreamAtomic } from '../files/write-stream-atomic.js';
import { printableLines } from './log.js';
import type { Session } from './session.js';

/** Where predictions go, row by row. */
export interface PredictionSink {
  add(rows: Iterable<PredictedRow>): Promise<void>;
  /** After the last row. */
  end(): Promise<void>;
  /** The run ended before its last row: a file keeps what it held before. */
  abort(): Promise<void>;
  /** Rows so far. */
  readonly count: { ok: number; failed: number };
}

/** Characters that are written at once. */
const PIECE = 1 << 16;

/** @param file null: standard output */
export async function predictionSink(
  session: Session,
  file: string | null,
  format: PredictionFormat,
): Promise<PredictionSink> {
  const count = { ok: 0, failed: 0 };
  const target = file === null ? toStdout(session) : await writeStreamAtomic(file);
  let waiting = predictionHead(format);
  const flush = async () => {
    const text = waiting;
    waiting = '';
    if (text !== '') await target.write(text);
  };
  return {
    count,
    async add(rows) {
      for (const row of rows) {
        count[row.status] += 1;
        waiting += predictionLine(row, format);
        if (waiting.length >= PIECE) await flush();
      }
    },
    async end() {
      await flush();
      await target.commit();
    },
    abort: () => target.abort(),
  };
}

/** Waits while the reader of standard output is slow; one that has gone away (`| head`) wants no more. */
function toStdout({ io: { stdout } }: Session) {
  return {
    async write(text: string) {
      if (!stdout.writable) return;
      // Text of others must not move the cursor of a terminal; for a program every byte stays.
      if (stdout.write(stdout.isTTY ? printableLines(text, false) : text)) return;
      await once(stdout, 'drain').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EPIPE') throw error;
      });
    },
    commit: async () => undefined,
    abort: async () => undefined,
  };
}
