import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** sha256 (hex) of a file's bytes, read in pieces of 4 MiB. Rejects with the file system's error. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 4 * 1024 * 1024 }), hash);
  return hash.digest('hex');
}
