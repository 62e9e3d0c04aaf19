const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; change its permissions',
  EPERM: 'permission denied; change its permissions',
  EISDIR: 'is a folder',
  ELOOP: 'its symbolic links lead in a circle',
  EIO: 'the disk fails to read it',
  EMFILE: 'too many files are open; raise the limit (ulimit -n) and run again',
  ENFILE: 'too many files are open on this machine; close some programs and run again',
  EAGAIN: 'the machine has no room for another process; close some programs and run again',
  ENOMEM: 'the machine is out of memory; close some programs and run again',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is used up; free some space',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the path is too long; choose a shorter name',
};

/** Why the system could not open a file or start a process, and what to do: plain words for the usual error codes. */
export function whyUnreadable(error: unknown): string {
  const reason = REASONS[(error as NodeJS.ErrnoException | undefined)?.code ?? ''];
  return reason ?? (error instanceof Error ? error.message : String(error));
}
