import type { IdInstead } from '../../datasets/fields/given-id.js';

/** Counts questions that lack the id which their data set names: whoever joins answers has to know what they go by. */
export class ReplacedIds {
  readonly #counts = { id: 0, number: 0 };
  #wanted = '';
  #all = 0;
  #hasWholeNumbers = false;

  /** @param id by which the answer goes */
  add(id: string, instead: IdInstead | null): void {
    this.#all += 1;
    if (instead?.by !== 'number') this.#hasWholeNumbers ||= /^[1-9]\d*$/.test(id);
    if (instead === null) return;
    this.#wanted = instead.wanted;
    this.#counts[instead.by] += 1;
  }

  /** One for each kind of id that stands in place of the one that is wanted. */
  notes(): string[] {
    const { id, number } = this.#counts;
    const lack = (count: number) => `${count} of ${this.#all} rows have no usable id in the field "${this.#wanted}"`;
    const twice = this.#hasWholeNumbers ? ', which can be the id of another row as well' : '';
    return [
      ...(id === 0 ? [] : [`${lack(id)}: their answers have the id in their field "id"`]),
      ...(number === 0 ? [] : [`${lack(number)}: their answers have the number of the row as their id${twice}`]),
    ];
  }
}
