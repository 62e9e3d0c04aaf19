import type { ByteStream, SourceFile } from '../row/source-row.js';

type Chunks = AsyncIterable<Uint8Array | string>;

/**
 * Standard input as a file of rows.
 *
 * @param chunks as they arrive, such as `process.stdin`; default: nothing comes
 */
export function standardInput(chunks: Chunks = nothing()): SourceFile {
  return { path: '-', shown: 'standard input', stream: byteStream(chunks) };
}

/** Chunks that come once, whose first one can be looked at. */
function byteStream(source: Chunks): ByteStream {
  const iterator = source[Symbol.asyncIterator]();
  let first: Promise<IteratorResult<Uint8Array | string>> | undefined;
  let read = false;
  const next = async (step: IteratorResult<Uint8Array | string>) => (step.done ? null : Buffer.from(step.value));
  return {
    async beginning() {
      first ??= iterator.next();
      return (await next(await first)) ?? Buffer.alloc(0);
    },
    async *chunks() {
      if (read) throw new Error('a stream is read once');
      read = true;
      first ??= iterator.next();
      try {
        for (let chunk = await next(await first); chunk !== null; chunk = await next(await iterator.next()))
          yield chunk;
      } finally {
        // Whoever writes into it hears that nobody reads on.
        await iterator.return?.();
      }
    },
  };
}

async function* nothing(): AsyncGenerator<never> {
  // Nobody is at the other end.
}
