import { redactSecrets } from './redact-secrets.js';

/** Every kind of failure the tool reports; `cli` maps each to an exit code. */
export type ErrorCode =
  | 'usage'
  | 'bad-input'
  | 'missing-file'
  | 'missing-scores'
  | 'model-load'
  | 'scoring'
  | 'cache-damaged'
  | 'cache-busy'
  | 'write-failed'
  | 'interrupted'
  | 'internal';

const LONGEST_MESSAGE = 2_000;
const LONGEST_NAME = 200;

/** One thing that is wrong, and where. The message says what was expected, what came, and what to do. */
export interface Fault {
  readonly message: string;
  /** Path as the user wrote it. */
  readonly file?: string | undefined;
  /** 1-based line and column in `file`. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Dotted path of the field inside the file, such as `models.3.base`. */
  readonly field?: string | undefined;
  /** Id (or number, 1-based) of the example. */
  readonly row?: string | undefined;
  /** Number of the row in its file (1-based), where the fault is one of a row. */
  readonly number?: number | undefined;
}

/**
 * The only error class that leaves a stage on purpose. All faults of one file travel together, so that a user
 * mends a file once instead of once per fault.
 */
export class SupportCalError extends Error {
  override readonly name = 'SupportCalError';
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
  /** What could not be checked because of the faults. */
  readonly unchecked: readonly string[];

  constructor(
    code: ErrorCode,
    faults: Fault | readonly Fault[] | string,
    options?: { cause?: unknown; unchecked?: readonly string[] },
  ) {
    const given =
      typeof faults === 'string' ? [{ message: faults }] : Array.isArray(faults) ? faults : [faults as Fault];
    const list = (given as readonly Fault[]).map(readable);
    super(list.map(formatFault).join('\n'), options);
    this.code = code;
    this.faults = list;
    this.unchecked = (options?.unchecked ?? []).map((line) => redactSecrets(cut(line, LONGEST_MESSAGE)));
  }

  get file(): string | undefined {
    return this.faults[0]?.file;
  }

  get line(): number | undefined {
    return this.faults[0]?.line;
  }

  get field(): string | undefined {
    return this.faults[0]?.field;
  }
}

/** Text of somebody else can be of any length, and can hold a token. */
function readable(fault: Fault): Fault {
  const { message, file, field, row } = fault;
  return {
    ...fault,
    message: redactSecrets(cut(message, LONGEST_MESSAGE)),
    ...(file !== undefined && { file: redactSecrets(file) }),
    ...(field !== undefined && { field: cut(field, LONGEST_NAME) }),
    ...(row !== undefined && { row: cut(row, LONGEST_NAME) }),
  };
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}... (${text.length} characters)`;
}

/** `models.yaml:12:5: models.3.base: unknown model "x" ...` with the parts that are known. */
export function formatFault(fault: Fault): string {
  const position = [fault.file, fault.line, fault.line === undefined ? undefined : fault.column]
    .filter((part) => part !== undefined)
    .join(':');
  return [position, fault.field, rowName(fault), fault.message]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
}

/** In a file without lines the number finds the row. */
function rowName({ row, number, line }: Fault): string | undefined {
  if (row === undefined) return undefined;
  return line === undefined && number !== undefined && row !== `${number}`
    ? `row ${row} (number ${number})`
    : `row ${row}`;
}
