import { realpath } from 'node:fs/promises';
import path from 'node:path';

/** True when a path lies in none of the folders, by its name alone: links are not followed, nothing is read. */
export function outsideFolders(file: string, folders: readonly string[]): boolean {
  return !folders.some((folder) => {
    const inside = path.relative(path.resolve(folder), path.resolve(file));
    return inside !== '..' && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside);
  });
}

/** True when a path lies in none of the folders after all links are followed. What is not there counts by its name. */
export async function reallyOutsideFolders(file: string, folders: readonly string[]): Promise<boolean> {
  const real = (each: string) => realpath(each).catch(() => path.resolve(each));
  return outsideFolders(await real(file), await Promise.all(folders.map(real)));
}
