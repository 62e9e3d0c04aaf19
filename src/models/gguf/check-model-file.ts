import { open, stat } from 'node:fs/promises';
import path from 'node:path';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { whyUnreadable } from '../../files/why-unreadable.js';
import { kernelsOf } from '../../library/chosen-build.js';
import { type GgufExtent, type GgufPurpose, ggufExtent } from './gguf-extent.js';
import { modelParts, partName } from './model-parts.js';
import { type ModelWork, modelWork } from './model-work.js';
import { FIRST_BYTES, otherFile } from './other-file.js';
import { type TensorShape, tensorFault } from './tensor-fault.js';

/** Magic, version, tensor count and key count: less than this is no GGUF file. */
const SMALLEST_HEADER = 24;
/** Parts of a split model whose faults are listed; the others are likely to be missing for the same reason. */
const MOST_FAULTS = 10;

export interface CheckedFile {
  /** Size of all parts together. */
  readonly bytes: number;
  /** The file itself, or all parts of a split model in order. */
  readonly files: readonly string[];
  readonly architecture: string | null;
  /** Numbers in all tensors together: the parameters of the model. 0: a vocabulary alone. */
  readonly weights: number;
  /** Whether a token passes only some of its weights: a mixture of experts. */
  readonly hasExperts: boolean;
  readonly work: ModelWork;
}

/**
 * Checks kind, first bytes, header and size before native code, which may abort the process, sees the file. The header
 * says where the file should end, so that a half download and one with foreign bytes behind it are found without a
 * hash to compare with. Of a split model (`NAME-00001-of-00003.gguf`) every part is checked.
 *
 * @param asWritten the path as the user wrote it, for messages
 * @throws SupportCalError missing-file or bad-input, with the faults of all parts
 */
export async function checkModelFile(file: string, asWritten: string): Promise<CheckedFile> {
  const name = partName(file);
  if (name !== null && (name.part !== 1 || name.parts < 1)) {
    const first = partName(asWritten)?.named(1) ?? name.named(1);
    const message = `is part ${name.part} of ${name.parts} of a split model; name its first part, ${first}`;
    throw new SupportCalError('bad-input', { file: asWritten, message });
  }
  const files = modelParts(file);
  const written = files.length === 1 ? [asWritten] : modelParts(asWritten);
  const checked = await checkParts(files, (n) => written[n] ?? asWritten);
  const [first] = checked;
  const tensors = checked.flatMap((part) => part.tensors);
  const fault = first === undefined ? null : tensorFault(first.purpose, tensors);
  if (fault !== null) throw new SupportCalError('bad-input', { file: asWritten, message: fault });
  return {
    bytes: checked.reduce((sum, each) => sum + each.bytes, 0),
    files,
    architecture: first?.purpose.architecture ?? null,
    weights: tensors.reduce((sum, { shape }) => sum + shape.reduce((product, axis) => product * axis, 1), 0),
    hasExperts: tensors.some(({ name }) => /_exps\./.test(name)),
    work: modelWork(tensors, kernelsOf('cpu') !== null),
  };
}

/**
 * One part after the other: a name may claim 99,999 of them. The first says how many there are; of the others that
 * many faults are collected as a reader can use.
 */
async function checkParts(files: readonly string[], written: (index: number) => string) {
  const checked: Awaited<ReturnType<typeof checkFile>>[] = [];
  const failed: SupportCalError[] = [];
  for (const [n, file] of files.entries()) {
    try {
      const part = await checkFile(file, written(n));
      const fault = purposeFault(part.purpose, n, files.length);
      if (fault !== null) throw new SupportCalError('bad-input', { file: written(n), message: fault });
      checked.push(part);
    } catch (error) {
      if (!(error instanceof SupportCalError)) throw error;
      failed.push(error);
      if (n === 0 || failed.length === MOST_FAULTS) break;
    }
  }
  const [first] = failed;
  if (first !== undefined) {
    throw new SupportCalError(
      first.code,
      failed.flatMap((each) => each.faults),
    );
  }
  return checked;
}

/** A file that a model must not be, or a part that is not the one its name says. */
function purposeFault(purpose: GgufPurpose, index: number, count: number): string | null {
  const other = whatElse(purpose);
  if (other !== null) return other;
  const { part, parts } = purpose;
  const [no, all] = [part ?? 0, parts ?? 1];
  if (no === index && all === count) return null;
  const name = count === 1 ? 'its name is that of a whole model' : `its name says part ${index + 1} of ${count}`;
  const advice = 'keep the names that the parts were made with';
  return `its header says part ${no + 1} of ${all} of a split model, ${name}; ${advice}`;
}

/** Architectures that read a text as a whole and have no next token. */
const ENCODERS =
  /^(bert|modern-bert|nomic-bert(-moe)?|neo-bert|jina-bert-v[23]|eurobert|t5encoder|gemma-embedding|llama-embed|wavtokenizer-dec)$/;

/** What a file is that is no language model; null for one that may be. */
function whatElse({ type, architecture }: GgufPurpose): string | null {
  if (type === 'adapter') return 'is a LoRA adapter, no model; name the model here and the adapter under `lora:`';
  const instead = 'name the file of the language model here';
  if (type === 'mmproj' || architecture === 'clip')
    return (
      `is the vision or audio part of a model (mmproj, architecture ${architecture ?? 'clip'}), which reads no text; ` +
      `${instead}, which is published beside it`
    );
  if (type === 'imatrix' || architecture === 'imatrix') return `is an importance matrix, no model; ${instead}`;
  if (architecture === 'controlvector') return `is a control vector, no model; ${instead}`;
  if (architecture !== null && ENCODERS.test(architecture))
    return `is a model for embeddings (architecture ${architecture}), which predicts no next token; ${instead}`;
  return null;
}

/**
 * Checks kind, first bytes, header and size of a LoRA adapter in the same way.
 *
 * @param architecture of the model it is for; null: not known
 */
export async function checkAdapterFile(
  file: string,
  asWritten: string,
  architecture: string | null,
): Promise<{ readonly bytes: number }> {
  const { bytes, purpose } = await checkFile(file, asWritten);
  const refuse = (message: string) => new SupportCalError('bad-input', { file: asWritten, message });
  if (purpose.type !== 'adapter') {
    throw refuse(`is no LoRA adapter (general.type is ${purpose.type ?? 'not set'}, expected "adapter")`);
  }
  if (architecture !== null && purpose.architecture !== architecture) {
    throw refuse(`is an adapter for the architecture ${purpose.architecture}, the model is ${architecture}`);
  }
  return { bytes };
}

async function checkFile(
  file: string,
  asWritten: string,
): Promise<{ readonly bytes: number; readonly purpose: GgufPurpose; readonly tensors: readonly TensorShape[] }> {
  const refuse = (message: string, code: 'bad-input' | 'missing-file' = 'bad-input', cause?: unknown) =>
    new SupportCalError(code, { file: asWritten, message }, { cause });
  const info = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    throw refuse(
      cause.code === 'ENOENT'
        ? `no such model file${path.isAbsolute(asWritten) ? '' : '; a path starts at the folder of models.yaml'}`
        : `cannot be read: ${whyUnreadable(cause)}`,
      'missing-file',
      cause,
    );
  });
  if (info.isDirectory()) throw refuse('is a folder; expected a GGUF model file');
  if (!info.isFile()) throw refuse('is no regular file; expected a GGUF model file');
  if (info.size === 0) throw refuse('is empty (0 bytes); expected a GGUF model file, fetch it again');
  const handle = await open(file).catch((cause: Error) => {
    throw refuse(`cannot be read: ${whyUnreadable(cause)}`, 'missing-file', cause);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0);
    const first = buffer.subarray(0, bytesRead);
    if (first.toString('latin1', 0, 4) !== 'GGUF') throw refuse(otherFile(first));
    if (info.size < SMALLEST_HEADER) throw refuse(`is cut off after ${info.size} bytes; fetch it again`);
    const extent = ggufExtent(handle.fd, info.size);
    const fault = extentFault(extent, info.size);
    if (fault !== null || extent.kind !== 'known') throw refuse(fault ?? 'is damaged');
    return { bytes: info.size, purpose: extent.purpose, tensors: extent.tensors };
  } finally {
    await handle.close();
  }
}

/** Padding behind the last tensor is the writer's choice, up to one alignment. */
function extentFault(extent: GgufExtent, size: number): string | null {
  if (extent.kind === 'other') return extent.message;
  if (extent.kind === 'broken') return `its GGUF header is damaged: ${extent.reason}; fetch it again`;
  const { end, alignment } = extent;
  if (end === null) return null;
  if (size < end) return `is cut off: it has ${size} bytes, its header describes ${end}; fetch it again`;
  if (size < end + alignment) return null;
  return `has ${size - end} bytes behind its last tensor (${size} in all, its header describes ${end}); fetch it again`;
}
