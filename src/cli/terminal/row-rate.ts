import { duration } from './duration.js';

/**
 * How far the scoring of a number of rows is, and how fast it goes. Rows of a large model or of a long prompt cost more
 * than others, so the time left follows from the cost of what is done; rows that nobody gave a cost count alike.
 */
export class RowRate {
  done = 0;
  #spent = 0;
  /** When the first rows came, and how many: what went before, loading above all, says nothing of the rate. */
  #first: { readonly at: number; readonly rows: number; readonly spent: number } | undefined;

  /** @param cost of all rows together; 0: not known */
  constructor(
    readonly total: number,
    readonly cost = 0,
  ) {}

  /** Rows were scored. What they cost is told before. */
  add(rows: number): void {
    this.done += rows;
    this.#first ??= { at: Date.now(), rows, spent: this.#spent };
  }

  spend(cost: number): void {
    this.#spent += cost;
  }

  /** How much of all is done, from 0 to 1. */
  share(): number {
    return this.cost > 0 ? this.#spent / this.cost : this.done / Math.max(1, this.total);
  }

  /**
   * Rows per second and the time left as text, `?` while nothing is known.
   *
   * @param expected seconds left where more is known than the rate of these rows
   */
  shown(expected?: number | null): { readonly rate: string; readonly left: string } {
    const first = this.#first;
    const known = expected == null ? '?' : duration(expected);
    if (first === undefined || this.done === first.rows || Date.now() === first.at) return { rate: '?', left: known };
    const seconds = (Date.now() - first.at) / 1000;
    const rate = (this.done - first.rows) / seconds;
    const spent = this.#spent - first.spent;
    const left = spent > 0 ? ((this.cost - this.#spent) * seconds) / spent : (this.total - this.done) / rate;
    return { rate: rate.toFixed(0), left: expected == null ? duration(left) : known };
  }
}
