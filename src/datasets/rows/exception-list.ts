import type { Fault } from '../../errors/supportcal-error.js';
import { FaultList } from '../../formats/row/fault-list.js';
import type { DraftRow } from './draft-row.js';

type Numbered = Pick<DraftRow, 'number'>;

/** Faults of the rows of one file: no reason to refuse it as long as they concern a small share of its rows. */
export class ExceptionList extends FaultList {
  readonly #share: number;
  readonly #yamlFile: string;
  readonly #numbers = new Set<number>();
  /** Lines that are no row at all. */
  readonly #lines = new Set<number>();
  #otherFaults = 0;

  /**
   * @param share of the rows, in [0, 1]
   * @param yamlFile whose own faults are never excused
   */
  constructor(share: number, yamlFile: string) {
    super();
    this.#share = share;
    this.#yamlFile = yamlFile;
  }

  /** A row with a fault, of which `add` may hear no more than the count. */
  addRow({ number }: Numbered): void {
    this.#numbers.add(number);
  }

  override add(fault: Fault, times = 1): void {
    const { file, number, line } = fault;
    if (file === this.#yamlFile) this.#otherFaults++;
    else if (number !== undefined) this.#numbers.add(number);
    else if (line !== undefined) this.#lines.add(line);
    else this.#otherFaults++;
    super.add(fault, times);
  }

  /** Nobody knows how many rows are lost behind it. */
  override addLast(fault: Fault): void {
    this.#otherFaults++;
    super.addLast(fault);
  }

  /** Rows with a fault, each counted once. */
  get rows(): number {
    return this.#numbers.size + this.#lines.size;
  }

  has({ number }: Numbered): boolean {
    return this.#numbers.has(number);
  }

  /** Whether all faults are of rows, and of few enough of them: the others are among those that could be read. */
  areExcused(read: readonly Numbered[]): boolean {
    const whole = read.filter((row) => !this.has(row)).length;
    return this.#otherFaults === 0 && this.rows <= this.#share * (this.rows + whole);
  }
}
