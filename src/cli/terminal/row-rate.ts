import { duration } from './duration.js';

/** How far the scoring of a number of rows is, and how fast it goes. */
export class RowRate {
  done = 0;
  /** When the first rows came, and how many: what went before, loading above all, says nothing of the rate. */
  #first: { readonly at: number; readonly rows: number } | undefined;

  constructor(readonly total: number) {}

  add(rows: number): void {
    this.done += rows;
    this.#first ??= { at: Date.now(), rows };
  }

  /** Rows per second and the time left as text, `?` while nothing is known. */
  shown(): { readonly rate: string; readonly left: string } {
    const perSecond = this.#perSecond();
    if (perSecond === null) return { rate: '?', left: '?' };
    return { rate: perSecond.toFixed(0), left: duration((this.total - this.done) / perSecond) };
  }

  #perSecond(): number | null {
    if (this.#first === undefined || this.done === this.#first.rows || Date.now() === this.#first.at) return null;
    return (this.done - this.#first.rows) / ((Date.now() - this.#first.at) / 1000);
  }
}
