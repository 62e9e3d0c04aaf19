import { type ErrorCode, type Fault, SupportCalError } from '../errors/supportcal-error.js';

/** Collects the faults of one file, so that they are reported together; long lists are cut with a count. */
export class FaultList {
  private readonly listed: Fault[] = [];
  private total = 0;
  private readonly limit: number;

  constructor(limit = 50) {
    this.limit = limit;
  }

  add(fault: Fault): void {
    this.total++;
    if (this.listed.length < this.limit) this.listed.push(fault);
  }

  get count(): number {
    return this.total;
  }

  /** Throws everything that was collected, if anything was. */
  throwIfAny(code: ErrorCode = 'bad-input'): void {
    if (this.total === 0) return;
    const more = this.total - this.listed.length;
    const last = this.listed.at(-1)!;
    const rest = more > 0 ? [{ file: last.file, message: `and ${more} more faults like these` }] : [];
    throw new SupportCalError(code, [...this.listed, ...rest]);
  }
}
