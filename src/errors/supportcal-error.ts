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
  /** Id (or `row N`, 1-based) of the example. */
  readonly row?: string | undefined;
}

/**
 * The only error class that leaves a stage on purpose. All faults of one file travel together, so that a user
 * mends a file once instead of once per fault.
 */
export class SupportCalError extends Error {
  override readonly name = 'SupportCalError';
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];

  constructor(code: ErrorCode, faults: Fault | readonly Fault[] | string, options?: { cause?: unknown }) {
    const list =
      typeof faults === 'string' ? [{ message: faults }] : Array.isArray(faults) ? faults : [faults as Fault];
    super(list.map(formatFault).join('\n'), options);
    this.code = code;
    this.faults = list;
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

/** `models.yaml:12:5: models.3.base: unknown model "x" ...` with the parts that are known. */
export function formatFault(fault: Fault): string {
  const position = [fault.file, fault.line, fault.line === undefined ? undefined : fault.column]
    .filter((part) => part !== undefined)
    .join(':');
  return [position, fault.field, fault.row === undefined ? undefined : `row ${fault.row}`, fault.message]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
}
