import { SupportCalError } from '../../errors/supportcal-error.js';

export interface FailedLoad {
  /** Error that node-llama-cpp threw, which mostly says "Failed to load model" and no more. */
  readonly error: unknown;
  /** Lines of level error that llama.cpp logged meanwhile. */
  readonly lines: readonly string[];
  readonly device: string;
  /** Release of llama.cpp inside node-llama-cpp. */
  readonly release: string;
  /** What the file says; null: not known. */
  readonly architecture: string | null;
}

/** Beginnings that llama.cpp puts before a reason. */
const WHERE = /^(?:[a-z_0-9]+: )*(?:error loading model(?: \w+)*: )*/;
/** Lines that only say that something failed. */
const EMPTY = /^(failed to load model|failed to load|unable to load model|)\.?$/i;
const FETCH = 'fetch the file again, or convert it with a current llama.cpp';

/** The reason why a file was not loaded, as llama.cpp logged it, with what can be done. */
export function loadFault({ error, lines, device, release, architecture }: FailedLoad): SupportCalError {
  const said = lines
    .flatMap((line) => line.split('\n'))
    .map((line) => line.trim().replace(WHERE, ''))
    .filter((line) => !EMPTY.test(line) && !line.startsWith("failed to load model '"));
  const thrown = error instanceof Error ? error.message : String(error);
  const reason = said[0] ?? thrown;
  const what = architecture === null ? 'the file' : `the file (architecture ${architecture})`;
  const advice = adviceFor(reason);
  const message = `llama.cpp ${release} cannot load ${what} on ${device}: ${reason}${advice === '' ? '' : `; ${advice}`}`;
  return new SupportCalError('model-load', message, { cause: error });
}

/**
 * The line that says which tensor of a file is missing or of another shape than its keys say; null: none does. A file
 * with a vocabulary and nothing else lacks the first of all tensors, and is no fault here.
 */
export function tensorLine(lines: readonly string[]): string | null {
  const about = /missing tensor '|tensor '.*' has wrong shape|wrong number of tensors/;
  const line = lines.find((each) => about.test(each) && !each.includes("missing tensor 'token_embd.weight'"));
  return line === undefined ? null : line.trim().replace(WHERE, '');
}

function adviceFor(reason: string): string {
  if (/unknown model architecture/i.test(reason))
    return 'use a newer SupportCal, whose llama.cpp may know it, or a model of another architecture';
  if (/unknown pre-?tokenizer type/i.test(reason))
    return 'use a newer SupportCal, or name a known one in models.yaml (scoring: { preTokenizer: NAME })';
  if (/missing tensor|wrong shape|wrong number of tensors|key not found|out of bounds|invalid|corrupt/i.test(reason))
    return FETCH;
  if (/unable to allocate|out of memory|failed to allocate|insufficient/i.test(reason))
    return 'use a smaller file, or free memory on the device';
  return '';
}
