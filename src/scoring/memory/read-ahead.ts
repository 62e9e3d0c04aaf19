import { open } from 'node:fs/promises';
import { freemem } from 'node:os';
import type { ScoringEvents } from '../../contract/scorer.js';
import { modelParts } from '../../models/gguf/model-parts.js';

export interface AheadFile {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
}

export interface ReadAhead {
  /** A model was started. */
  started(id: string): void;
  /** `done` of the `total` rows of a model in work are scored. */
  progressed(done: number, total: number): void;
  /** Ends reading and waits for it. */
  stop(): Promise<void>;
}

/** The next file is read while the last quarter of a model's rows is scored. */
const LAST_PART = 0.75;

/** Memory that stays free beside the file. */
const SPARE = 1.25;

const PIECE = 8 * 2 ** 20;

/**
 * Reads the file of the next model into the page cache while the current one's last rows are scored, so that loading it
 * does not wait for the disk. Only when it fits the memory that is free now; that changes when a model is loaded, never
 * a number. A file that cannot be read is left to the loader to report.
 *
 * @param order every model, in the order in which they start
 * @param free bytes of memory that can be had without swapping
 */
export function readAhead(order: readonly AheadFile[], free: () => number = freemem, read = readParts): ReadAhead {
  const stopping = new AbortController();
  const begun = new Set<string>();
  let reading: Promise<unknown> = Promise.resolve();
  return {
    started: (id) => void begun.add(id),
    progressed(done, total) {
      if (done < LAST_PART * total || stopping.signal.aborted) return;
      const next = order.find((file) => !begun.has(file.id));
      if (next === undefined || free() < SPARE * next.bytes) return;
      begun.add(next.id);
      reading = reading.then(() => read(next.path, stopping.signal)).catch(() => {});
    },
    async stop() {
      stopping.abort();
      await reading;
    },
  };
}

/** Events that go on to `events`, and of which the reader hears how far each model is. */
export function heardBy(ahead: ReadAhead, events: ScoringEvents): ScoringEvents {
  const left = new Map<string, { readonly rows: number; done: number }>();
  return {
    onModelStart(model, rows) {
      events.onModelStart?.(model, rows);
      left.set(model, { rows, done: 0 });
      ahead.started(model);
    },
    onRows(model, dataset, rows, tokens) {
      const part = left.get(model);
      if (part !== undefined) {
        part.done += rows;
        ahead.progressed(part.done, part.rows);
      }
      events.onRows?.(model, dataset, rows, tokens);
    },
    onModelEnd: (outcome) => events.onModelEnd?.(outcome),
    onLog: (level, message) => events.onLog?.(level, message),
  };
}

/** Reads all parts of a model. Resolves with the bytes that were read. */
async function readParts(path: string, signal?: AbortSignal): Promise<number> {
  let total = 0;
  for (const part of modelParts(path)) total += await readFile(part, signal);
  return total;
}

/** Reads a file from its first byte to its last and keeps nothing. Resolves with the bytes that were read. */
export async function readFile(path: string, signal?: AbortSignal): Promise<number> {
  const file = await open(path, 'r');
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    let total = 0;
    while (signal?.aborted !== true) {
      const { bytesRead } = await file.read(piece, 0, PIECE, total);
      if (bytesRead === 0) break;
      total += bytesRead;
    }
    return total;
  } finally {
    await file.close();
  }
}
