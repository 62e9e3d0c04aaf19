import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { parseYaml, type YamlDocument } from './yaml-document.js';

/** A configuration file is text by hand; anything larger is a mistake or an attack. */
const MAX_BYTES = 4 * 1024 * 1024;

/** What a run says it was made from is what it read, not what the file has become since. */
export interface ReadBytes {
  readonly sha256: string;
}

/**
 * Reads and parses one YAML file. Throws `missing-file` or `bad-input`, naming the file as the user wrote it;
 * `whenMissing` says so.
 */
export async function readYamlFile(file: string, whenMissing = 'no such file'): Promise<YamlDocument & ReadBytes> {
  let bytes: Buffer;
  try {
    const info = await stat(file);
    if (!info.isFile())
      throw new SupportCalError('bad-input', { file, message: 'expected a YAML file, found a folder' });
    if (info.size > MAX_BYTES) {
      throw new SupportCalError('bad-input', {
        file,
        message: `${info.size} bytes; a configuration file may have ${MAX_BYTES}`,
      });
    }
    bytes = await readFile(file);
  } catch (cause) {
    if (cause instanceof SupportCalError) throw cause;
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = missing ? whenMissing : `cannot be read: ${whyUnreadable(cause)}`;
    throw new SupportCalError('missing-file', { file, message: reason }, { cause });
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SupportCalError(
      'bad-input',
      { file, message: 'the file is not UTF-8 text; save it as UTF-8' },
      { cause },
    );
  }
  return { ...parseYaml(text, file), sha256: createHash('sha256').update(bytes).digest('hex') };
}
