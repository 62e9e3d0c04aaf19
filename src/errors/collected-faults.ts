import { type ErrorCode, type Fault, formatFault, SupportCalError } from './supportcal-error.js';

/** Gathers the faults of several steps, so that one step does not hide those of the next. */
export class CollectedFaults {
  private readonly found = new Map<string, Fault>();
  private readonly codes: ErrorCode[] = [];
  private readonly left: string[] = [];

  /** What a step gives, or null when it has faults, which are kept. Interruptions and internal faults go through. */
  async try<T>(step: () => T | Promise<T>): Promise<T | null> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof SupportCalError) || error.code === 'interrupted' || error.code === 'internal') throw error;
      this.add(error);
      return null;
    }
  }

  add({ code, faults, unchecked }: Pick<SupportCalError, 'code' | 'faults'> & Partial<SupportCalError>): void {
    if (faults.length > 0) this.codes.push(code);
    for (const fault of faults) this.found.set(formatFault(fault), fault);
    this.left.push(...(unchecked ?? []));
  }

  /** Says what a fault keeps from being checked. */
  leaveOut(what: string): void {
    this.left.push(what);
  }

  /** What could not be checked, each once. */
  get unchecked(): string[] {
    return [...new Set(this.left)];
  }

  /** File by file as they came up, and within a file by place. */
  get list(): Fault[] {
    const faults = [...this.found.values()];
    const files = [...new Set(faults.map(({ file }) => file))];
    return files.flatMap((file) => faults.filter((fault) => fault.file === file).sort(byPlace));
  }

  /** Throws everything that was gathered, if anything was; of several kinds of faults the input's. */
  throwIfAny(): void {
    if (this.found.size === 0) return;
    const [first] = this.codes;
    const code = first !== undefined && this.codes.every((each) => each === first) ? first : 'bad-input';
    throw new SupportCalError(code, this.list, { unchecked: this.unchecked });
  }
}

function byPlace(a: Fault, b: Fault): number {
  return (a.line ?? Infinity) - (b.line ?? Infinity) || (a.column ?? 0) - (b.column ?? 0) || 0;
}
