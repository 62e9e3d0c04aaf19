import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Download {
  /** Such as `models--owner--repo`. */
  readonly repository: string;
  readonly commit: string;
  readonly name: string;
  readonly content: Uint8Array;
  /** The name of the blob where it is not the SHA-256 of the content. */
  readonly hash?: string;
}

/**
 * Lays a file where huggingface_hub would: a blob named by its hash, and a link in the snapshot of the commit. Returns
 * the folder of the repository.
 */
export function layDownload(sharedFolder: string, { repository, commit, name, content, hash }: Download): string {
  const folder = path.join(sharedFolder, repository);
  const blob = path.join(folder, 'blobs', hash ?? createHash('sha256').update(content).digest('hex'));
  const link = path.join(folder, 'snapshots', commit, name);
  for (const file of [blob, link]) mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(blob, content);
  symlinkSync(path.relative(path.dirname(link), blob), link);
  return folder;
}
