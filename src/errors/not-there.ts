import { constants } from 'node:os';

/**
 * Whether a file or folder is not there, or is no more: NFS says ESTALE of one that another host removed while it was
 * being read here, a number for which Node has no name.
 */
export function notThere(error: unknown): boolean {
  const { code, errno } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ESTALE' || (errno !== undefined && errno === -constants.errno.ESTALE);
}
