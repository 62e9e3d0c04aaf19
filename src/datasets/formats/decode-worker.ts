import { parentPort, workerData } from 'node:worker_threads';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import type { ColumnBatch } from './column-batch.js';
import type { SourceFile } from './source-row.js';

/** What the thread is started with. */
export interface DecodeTask {
  readonly file: SourceFile;
  readonly format: 'arrow' | 'parquet';
}

export type FromDecoder =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rows'; readonly batch: ColumnBatch }
  | { readonly kind: 'end' }
  | { readonly kind: 'fault'; readonly code: 'bad-input' | 'missing-file'; readonly faults: readonly Fault[] };

/** Entry of the thread that decodes one binary table; every message from the parent asks for the next batch. */
const { file, format } = workerData as DecodeTask;
const port = parentPort!;
const send = (message: FromDecoder) => port.postMessage(message);
const batches =
  format === 'arrow'
    ? (await import('./read-arrow.js')).readArrow(file)
    : (await import('./read-parquet.js')).readParquet(file);

async function sendNext(): Promise<void> {
  try {
    const next = await batches.next();
    send(next.done ? { kind: 'end' } : { kind: 'rows', batch: next.value });
  } catch (error) {
    send(faultOf(error));
  }
}

port.on('message', () => void sendNext());
send({ kind: 'ready' });

/** Whatever a decoder throws at the bytes of somebody else, it is the file that is at fault. */
function faultOf(error: unknown): FromDecoder {
  if (error instanceof SupportCalError && (error.code === 'bad-input' || error.code === 'missing-file')) {
    return { kind: 'fault', code: error.code, faults: error.faults };
  }
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: 'fault', code: 'bad-input', faults: [{ file: file.shown, message: `cannot be decoded: ${reason}` }] };
}
