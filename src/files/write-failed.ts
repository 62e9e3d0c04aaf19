import { SupportCalError } from '../errors/supportcal-error.js';

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space or choose a folder on another disk',
  EDQUOT: 'the disk quota is used up; free some space or choose a folder on another disk',
  EROFS: 'the file system is read-only; choose a folder that can be written',
  EACCES: 'permission denied; choose a folder that can be written or change its permissions',
  EPERM: 'permission denied; choose a folder that can be written or change its permissions',
  ENOENT: 'its folder was removed or moved away meanwhile; run again to make it anew',
  ENOTDIR: 'a part of the path is a file, not a folder; choose another folder',
  EEXIST: 'a file of that name is in the way; remove it or choose another folder',
  EISDIR: 'a folder of that name is in the way; remove it or choose another path',
  EMFILE: 'too many files are open; raise the limit (ulimit -n) and run again',
  ENFILE: 'too many files are open on this machine; close some programs and run again',
  ENAMETOOLONG: 'the path is too long; choose a shorter folder name',
};

/** A failed write as an error that says where and what to do. Errors of ours pass through unchanged. */
export function writeFailed(path: string, cause: unknown): SupportCalError {
  if (cause instanceof SupportCalError) return cause;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  const reason = ADVICE[code] ?? (cause instanceof Error ? cause.message : String(cause));
  return new SupportCalError('write-failed', { file: path, message: `cannot be written: ${reason}` }, { cause });
}

/** What a promise of a write is caught with: throws `writeFailed`. */
export function failedAt(path: string): (cause: unknown) => never {
  return (cause) => {
    throw writeFailed(path, cause);
  };
}
