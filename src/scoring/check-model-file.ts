import { open, stat } from 'node:fs/promises';
import { SupportCalError } from '../errors/supportcal-error.js';
import { type GgufExtent, ggufExtent } from './gguf-extent.js';

/** Magic, version, tensor count and key count: less than this is no GGUF file. */
const SMALLEST_HEADER = 24;

/**
 * Checks kind, first bytes, header and size before native code, which may abort the process, sees the file. The header
 * says where the file should end, so that a half download and one with foreign bytes behind it are found without a
 * hash to compare with.
 *
 * @param asWritten the path as the user wrote it, for messages
 * @throws SupportCalError missing-file or bad-input
 */
export async function checkModelFile(file: string, asWritten: string): Promise<{ readonly bytes: number }> {
  const refuse = (message: string, code: 'bad-input' | 'missing-file' = 'bad-input', cause?: unknown) =>
    new SupportCalError(code, { file: asWritten, message }, { cause });
  const info = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    throw refuse(
      cause.code === 'ENOENT' ? 'no such model file' : `cannot be read: ${cause.message}`,
      'missing-file',
      cause,
    );
  });
  if (info.isDirectory()) throw refuse('is a folder; expected a GGUF model file');
  if (!info.isFile()) throw refuse('is no regular file; expected a GGUF model file');
  if (info.size === 0) throw refuse('is empty (0 bytes); expected a GGUF model file, fetch it again');
  const handle = await open(file).catch((cause: Error) => {
    throw refuse(`cannot be read: ${cause.message}`, 'missing-file', cause);
  });
  try {
    const header = Buffer.alloc(4);
    await handle.read(header, 0, 4, 0);
    if (header.toString('latin1') !== 'GGUF') {
      throw refuse(
        `is no GGUF file (its first bytes are ${JSON.stringify(header.toString('latin1'))}, expected "GGUF")`,
      );
    }
    if (info.size < SMALLEST_HEADER) throw refuse(`is cut off after ${info.size} bytes; fetch it again`);
    const fault = extentFault(ggufExtent(handle.fd, info.size), info.size);
    if (fault !== null) throw refuse(fault);
  } finally {
    await handle.close();
  }
  return { bytes: info.size };
}

/** Padding behind the last tensor is the writer's choice, up to one alignment. */
function extentFault(extent: GgufExtent, size: number): string | null {
  if (extent.kind === 'broken') return `its GGUF header is damaged: ${extent.reason}; fetch it again`;
  const { end, alignment } = extent;
  if (end === null) return null;
  if (size < end) return `is cut off: it has ${size} bytes, its header describes ${end}; fetch it again`;
  if (size < end + alignment) return null;
  return `has ${size - end} bytes behind its last tensor (${size} in all, its header describes ${end}); fetch it again`;
}
