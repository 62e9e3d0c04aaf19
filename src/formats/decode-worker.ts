import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import type { ColumnBatch } from './binary/column-batch.js';
import type { DecodeWork } from './binary/decoder.js';
import { FORMATS } from './format-table.js';
import type { SourceFile } from './row/source-row.js';

/** What the thread is started with. */
export interface DecodeTask {
  readonly file: SourceFile;
  /** Name of a binary format. */
  readonly format: string;
}

export type FromDecoder =
  | { readonly kind: 'ready' }
  | { readonly kind: 'work'; readonly work: DecodeWork }
  | { readonly kind: 'rows'; readonly batch: ColumnBatch }
  | { readonly kind: 'end' }
  | { readonly kind: 'fault'; readonly code: 'bad-input' | 'missing-file'; readonly faults: readonly Fault[] };

/** Entry of the thread that decodes one binary table; every message from the parent asks for the next batch. */
if (parentPort === null) throw new Error('this module runs in a thread only');
void serve(parentPort, workerData as DecodeTask);

/** A decoder that cannot be loaded ends the thread with its error, which the parent then reports. */
async function serve(port: MessagePort, { file, format }: DecodeTask): Promise<void> {
  const rows = FORMATS.find(({ name }) => name === format)?.rows;
  if (rows?.kind !== 'binary') throw new Error(`${format} is no binary format`);
  const decode = await rows.loadDecoder();
  const send = (message: FromDecoder) => port.postMessage(message);
  const batches = decode(file, (work) => send({ kind: 'work', work }));
  port.on('message', () => {
    void nextOf(batches, file).then(send);
  });
  send({ kind: 'ready' });
}

/** The next batch; whatever a decoder throws at the bytes of somebody else, it is the file that is at fault. */
async function nextOf(batches: AsyncGenerator<ColumnBatch>, file: SourceFile): Promise<FromDecoder> {
  try {
    const next = await batches.next();
    return next.done ? { kind: 'end' } : { kind: 'rows', batch: next.value };
  } catch (error) {
    if (error instanceof SupportCalError && (error.code === 'bad-input' || error.code === 'missing-file')) {
      return { kind: 'fault', code: error.code, faults: error.faults };
    }
    const reason = error instanceof Error ? error.message : String(error);
    return {
      kind: 'fault',
      code: 'bad-input',
      faults: [{ file: file.shown, message: `cannot be decoded: ${reason}` }],
    };
  }
}
