import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { ListedFile } from './hub-repository.js';

/** The hash of a file that is coming in. */
export interface FileHash {
  update(chunk: Uint8Array): void;
  /** The bytes can no longer be those listed. */
  spoil(): void;
  /** Whether all bytes so far are those listed; asked once. */
  sound(): boolean;
}

/** sha256 where the hub lists one, else git's hash of a blob. */
export function fileHash({ sha256, blobSha1, bytes }: ListedFile): FileHash {
  const hash: Hash = sha256 === null ? createHash('sha1').update(`blob ${bytes}\0`) : createHash('sha256');
  let spoilt = false;
  return {
    update: (chunk) => void hash.update(chunk),
    spoil: () => {
      spoilt = true;
    },
    sound: () => !spoilt && hash.digest('hex') === (sha256 ?? blobSha1),
  };
}

/** The hash after the bytes that are in a file already. */
export async function hashOfFirst(partial: string, bytes: number, listed: ListedFile): Promise<FileHash> {
  const hash = fileHash(listed);
  if (bytes > 0) for await (const chunk of createReadStream(partial, { end: bytes - 1 })) hash.update(chunk as Buffer);
  return hash;
}
