/**
 * Running sum with Neumaier's (1974) correction: the rounding error stays near one unit in the last place however many
 * terms come, so the order of the examples changes nothing that anyone can see.
 */
export class CompensatedSum {
  #sum = 0;
  #lost = 0;

  add(term: number): void {
    const next = this.#sum + term;
    this.#lost += Math.abs(this.#sum) >= Math.abs(term) ? this.#sum - next + term : term - next + this.#sum;
    this.#sum = next;
  }

  /** The sum so far; an infinite or NaN sum is given as it is. */
  get value(): number {
    return Number.isFinite(this.#sum) ? this.#sum + this.#lost : this.#sum;
  }
}

/** Sum of all values by Neumaier's method (1974); 0 for none. */
export function compensatedSum(values: ArrayLike<number>): number {
  const sum = new CompensatedSum();
  for (let i = 0; i < values.length; i++) sum.add(values[i]!);
  return sum.value;
}
