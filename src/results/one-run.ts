import { createHash } from 'node:crypto';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import type { RunManifest } from './manifest-schema.js';

/** A file of a run as it was read; text null: it is not there. */
export interface RunFile {
  readonly name: string;
  readonly file: string;
  readonly text: string | null;
}

const CARRIAGE_RETURN = 0x0d;
/** Its first byte. */
const BYTE_ORDER_MARK = 0xef;

/** sha256 of the text of a file of a run, whatever line ends a tool has given it since. */
export function documentHash(text: string | Uint8Array): string {
  // Bytes without a line end of another kind are hashed as they are: decoding them takes longer than hashing.
  if (typeof text !== 'string' && !text.includes(CARRIAGE_RETURN) && text[0] !== BYTE_ORDER_MARK)
    return createHash('sha256').update(text).digest('hex');
  const plain = typeof text === 'string' ? text : new TextDecoder().decode(text);
  return createHash('sha256').update(plain.replaceAll('\r\n', '\n')).digest('hex');
}

/**
 * Checks that the files of a folder are those that its manifest was written with. A run that is killed between two of
 * them leaves new ones beside old ones. A manifest of an earlier version names no files; it is compared by its time.
 *
 * @throws SupportCalError bad-input with every file that is of another run
 */
export function refuseMixture(
  manifest: Pick<RunManifest, 'createdAt' | 'documents'>,
  createdAt: string,
  files: readonly RunFile[],
): void {
  const faults = files.flatMap((each) => faultOf(manifest, each));
  if (manifest.documents === undefined && manifest.createdAt !== createdAt) {
    const [{ file } = { file: 'results.json' }] = files;
    faults.push({ file, message: `is of the run of ${createdAt}, manifest.json of that of ${manifest.createdAt}` });
  }
  if (faults.length === 0) return;
  const message = 'the folder holds files of more than one run, or changed ones; calibrate into it again';
  throw new SupportCalError('bad-input', [...faults, { message }]);
}

function faultOf({ documents }: Pick<RunManifest, 'documents'>, { name, file, text }: RunFile): Fault[] {
  const written = documents?.[name];
  if (written === undefined || (text !== null && documentHash(text) === written)) return [];
  if (text === null) return [{ file, message: 'is missing, though manifest.json names it' }];
  return [{ file, message: 'is not the file that manifest.json was written with' }];
}
