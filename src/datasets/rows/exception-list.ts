import type { Fault } from '../../errors/supportcal-error.js';
import { FaultList } from '../../formats/row/fault-list.js';
import type { DraftRow } from './draft-row.js';

/** Faults of the rows of one file: no reason to refuse it as long as they concern a small share of its rows. */
export class ExceptionList extends FaultList {
  readonly #share: number;
  readonly #yamlFile: string;
  readonly #numbers = new Set<number>();
  /** Lines that are no row at all. */
  readonly #lines = new Set<number>();
  #unlisted = 0;
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

  override add(fault: Fault, times = 1): void {
    const { file, number, line } = fault;
    const isOfRow = file !== this.#yamlFile && (number ?? line) !== undefined;
    if (!isOfRow) this.#otherFaults += times;
    else {
      if (number !== undefined) this.#numbers.add(number);
      else if (line !== undefined) this.#lines.add(line);
      this.#unlisted += times - 1;
    }
    super.add(fault, times);
  }

  /** Rows with a fault; of faults that were counted only, each is taken for a row of its own. */
  get rows(): number {
    return this.#numbers.size + this.#lines.size + this.#unlisted;
  }

  has({ number }: Pick<DraftRow, 'number'>): boolean {
    return this.#numbers.has(number);
  }

  /** Whether all faults are of rows, and of few enough of them. */
  areExcused(read: number): boolean {
    return this.#otherFaults === 0 && this.rows <= this.#share * (read + this.#lines.size);
  }
}
