import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { SupportCalError } from '../errors/supportcal-error.js';

/**
 * Refuses to write below a folder by way of a link: a folder that came from elsewhere could lead our files, and what we
 * remove, to another place. The folder itself may be a link, since whoever names it knows it.
 *
 * @param names what will be written or removed, relative to the folder
 * @throws SupportCalError bad-input with every link that is in the way
 */
export async function refuseLinks(folder: string, names: readonly string[]): Promise<void> {
  const steps = new Set(names.flatMap((name) => stepsOf(path.normalize(name))));
  const found: string[] = [];
  for (const step of steps) {
    const info = await lstat(path.join(folder, step)).catch(() => null);
    if (info?.isSymbolicLink()) found.push(path.join(folder, step));
  }
  if (found.length === 0) return;
  const message = 'is a link, and nothing is written through one; remove it, or choose another output folder';
  throw new SupportCalError(
    'bad-input',
    found.map((file) => ({ file, message })),
  );
}

/** `a/b/c` -> `a`, `a/b` and `a/b/c`. */
function stepsOf(name: string): string[] {
  const parts = name.split(path.sep);
  return parts.map((_, n) => path.join(...parts.slice(0, n + 1)));
}
