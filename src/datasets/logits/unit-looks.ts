import type { LogitUnit } from './from-unit.js';

/** What the numbers of one row add up to when they are read in some unit. */
interface Look {
  readonly name: string;
  /** What to do about it. */
  readonly advice: string;
  readonly units: readonly LogitUnit[];
  /** Share of the whole that a score would be; NaN: the score cannot be of this unit. */
  readonly share: (score: number) => number;
}

const between = (score: number, high: number) => (score >= 0 && score <= high ? score / high : Number.NaN);
const LOOKS: readonly Look[] = [
  {
    name: 'probabilities',
    advice: 'say `--unit probabilities`',
    units: ['logits'],
    share: (score) => between(score, 1),
  },
  {
    name: 'probabilities in per cent',
    advice: 'divide them by 100 and say `--unit probabilities`',
    units: ['logits'],
    share: (score) => between(score, 100),
  },
  {
    name: 'log-probabilities without their minus sign',
    advice: 'negate them and say `--unit logprobs`',
    units: ['logits'],
    share: (score) => (score >= 0 ? Math.exp(-score) : Number.NaN),
  },
  {
    name: 'log-probabilities to the base 2',
    advice: 'multiply them by ln 2 = 0.693147',
    units: ['logits', 'logprobs'],
    share: (score) => (score <= 0 ? 2 ** score : Number.NaN),
  },
  {
    name: 'log-probabilities to the base 10',
    advice: 'multiply them by ln 10 = 2.302585',
    units: ['logits', 'logprobs'],
    share: (score) => (score <= 0 ? 10 ** score : Number.NaN),
  },
];

/** Rounding to three digits of every one of a few numbers moves their sum by less. */
const TOLERANCE = 2e-3;

/**
 * What the numbers of a file look like: every row adds up to 1 in a unit that is not the declared one. Raw logits do so
 * by chance in no file of more than a row or two. Rows are added one after the other, so that a file of any length
 * takes constant memory.
 */
export class UnitLooks {
  #left: readonly Look[];
  /** Rows that are not whole numbers alone: those of a hand-written example, such as 1 and 0, say nothing. */
  #rows = 0;

  constructor(unit: LogitUnit) {
    this.#left = LOOKS.filter(({ units }) => units.includes(unit));
  }

  /** K scores of one row, as the file has them. */
  add(scores: ArrayLike<number>): void {
    if (this.#left.length === 0) return;
    const row = Array.from(scores);
    if (row.some((score) => Number.isFinite(score) && !Number.isInteger(score))) this.#rows++;
    this.#left = this.#left.filter(({ share }) => {
      const total = row.reduce((sum, score) => sum + share(score), 0);
      return Math.abs(total - 1) <= TOLERANCE;
    });
  }

  /** Why the declared unit cannot be right; null: nothing speaks against it. */
  contradiction(unit: LogitUnit): string | null {
    const [look] = this.#left;
    if (this.#rows === 0 || look === undefined) return null;
    return (
      `the numbers are declared as ${unit}, but those of every row add up to 1 as ${look.name}; ${look.advice}, or ` +
      'take them as they are declared with `--trust-unit`'
    );
  }
}
