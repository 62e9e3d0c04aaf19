import { open } from 'node:fs/promises';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { EXPORT_MARK } from '../../files/csv-cell.js';

/** Bytes in which a file says that an export wrote it. */
const HEAD = 200;

/** Throws `usage` for a file that no export wrote, such as the rows that the scores are of: it stays as it is. */
export async function refuseForeign(file: string): Promise<void> {
  const head = await beginningOf(file);
  if (head === '' || head.startsWith(`${EXPORT_MARK},`) || head.includes('"supportcal-calibration"')) return;
  const message = 'is there already, and no export wrote it; take another name or remove it first';
  throw new SupportCalError('usage', { file, message });
}

/** The first bytes of a file; none where it is not there or cannot be read. */
async function beginningOf(file: string): Promise<string> {
  const handle = await open(file, 'r').catch(() => null);
  if (handle === null) return '';
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}
