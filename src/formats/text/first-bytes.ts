import type { SourceFile } from '../row/source-row.js';
import { LOOKED_AT } from './foreign-content.js';
import { openFile } from './read-lines.js';

/**
 * The first bytes of a file or stream as they lie there, packed or not.
 *
 * @throws SupportCalError missing-file
 */
export async function firstBytes(file: SourceFile): Promise<Uint8Array> {
  if (file.stream !== undefined) return file.stream.beginning();
  const handle = await openFile(file);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
