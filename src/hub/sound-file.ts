import { stat } from 'node:fs/promises';
import { hashOfFirst } from './file-hash.js';
import type { ListedFile } from './hub-repository.js';

/** Whether the file is there with its full length. */
export async function hasSize(file: string, bytes: number): Promise<boolean> {
  return (await stat(file).catch(() => null))?.size === bytes;
}

/** Whether the file is there with the bytes that the hub lists, which are all read for that. */
export async function isSound(file: string, listed: ListedFile): Promise<boolean> {
  if (!(await hasSize(file, listed.bytes))) return false;
  return (await hashOfFirst(file, listed.bytes, listed)).sound();
}
