import { execFileSync } from 'node:child_process';
import { onTestFinished } from 'vitest';

/** Puts a small file system of its own on an empty folder until the test ends; false where that takes more rights. */
export function mountSmallDisk(folder: string, size: '64k' | '256k'): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return true;
}
