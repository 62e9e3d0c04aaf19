import { stat } from 'node:fs/promises';
import { getHeapStatistics } from 'node:v8';
import type { Worker } from 'node:worker_threads';
import { SupportCalError } from '../errors/supportcal-error.js';
import { ownModule } from '../files/own-files.js';
import { startThread } from '../files/startable-module.js';
import { rowsOf } from './binary/column-batch.js';
import { type DecodeAllowance, decodeAllowance } from './decode-allowance.js';
import type { DecodeTask, FromDecoder } from './decode-worker.js';
import type { RowBatches, SourceFile } from './row/source-row.js';

export interface DecodeLimits {
  /** For a step of decoding, beside the time that its rows and unpacked bytes allow. */
  readonly milliseconds: number;
  /** Heap of the thread, beside what the size of the file allows. */
  readonly mebibytes: number;
}

/** A file of few rows that takes longer than this is no honest file. */
const LIMITS: DecodeLimits = {
  milliseconds: 3_000,
  mebibytes: Math.min(1_024, Math.ceil(getHeapStatistics().heap_size_limit / 2 ** 20)),
};
const HEAP_PER_FILE_BYTE = 16;

/**
 * Rows of an Arrow or Parquet file, decoded in a thread with a limit of time and memory. Neither format has a checksum,
 * and a changed length in the metadata can send its decoder into a loop that no check of ours foresees.
 *
 * @throws SupportCalError missing-file, bad-input (also when a limit is passed)
 */
export async function* decodeInThread(
  file: SourceFile,
  format: DecodeTask['format'],
  limits: DecodeLimits = LIMITS,
): RowBatches {
  const size = (await stat(file.path).catch(() => null))?.size ?? 0;
  const heap = limits.mebibytes + Math.ceil((size * HEAP_PER_FILE_BYTE) / 2 ** 20);
  const task: DecodeTask = { file, format };
  const worker = startThread(ownModule('formats/decode-worker'), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: heap },
  });
  const messages = inbox(worker, file, heap);
  try {
    // Loading modules is no work on the file: a busy machine may take its time for that.
    await messages.next(null);
    for (;;) {
      worker.postMessage('next');
      const message = await messages.next(decodeAllowance(limits.milliseconds));
      if (message.kind === 'end') return;
      if (message.kind === 'fault') throw new SupportCalError(message.code, message.faults);
      if (message.kind === 'rows') yield rowsOf(message.batch);
    }
  } finally {
    await worker.terminate();
  }
}

/** The worker's messages one at a time; the thread's death and a wait that is too long are faults of the file. */
function inbox(worker: Worker, file: SourceFile, heap: number) {
  let settle: { resolve: (message: FromDecoder) => void; reject: (error: Error) => void } | undefined;
  let died: Error | undefined;
  const refuse = (message: string, cause?: unknown) =>
    new SupportCalError('bad-input', { file: file.shown, message }, { cause });
  let step: DecodeAllowance | null = null;
  worker.on('message', (message: FromDecoder) => {
    if (message.kind === 'work') step?.extend(message.work);
    else settle?.resolve(message);
  });
  worker.on('error', (error: NodeJS.ErrnoException) => {
    // Decoders also fail where nobody waits for them, and an unhandled rejection ends the thread.
    const message =
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? `needs more than ${heap} MiB of memory to decode; it is damaged, or should be split`
        : `cannot be decoded: ${error.message}`;
    died = refuse(message, error);
    settle?.reject(died);
  });
  worker.on('exit', (code) => {
    died ??= refuse(`the thread that decodes it ended with code ${code}; the file is most likely damaged`);
    settle?.reject(died);
  });
  return {
    async next(allowance: DecodeAllowance | null): Promise<FromDecoder> {
      if (died !== undefined) throw died;
      step = allowance;
      let timer: NodeJS.Timeout | undefined;
      try {
        return await new Promise<FromDecoder>((resolve, reject) => {
          settle = { resolve, reject };
          const watch = (own: DecodeAllowance) => {
            const left = own.left();
            if (left > 0) timer = setTimeout(watch, Math.max(left, SHORTEST_WAIT), own);
            else reject(refuse(`cannot be decoded in ${seconds(own)} s of work; it is most likely damaged`));
          };
          if (allowance !== null) watch(allowance);
        });
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Milliseconds between two looks at a step that may be over its limit. */
const SHORTEST_WAIT = 20;

function seconds(allowance: DecodeAllowance): string {
  return (allowance.total() / 1000).toFixed(1);
}
