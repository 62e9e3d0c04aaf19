import type { LogitUnit } from './from-unit.js';

/** What the numbers of one row add up to when they are read in some unit. */
interface Look {
  readonly name: string;
  /** What to do about it. */
  readonly advice: string;
  readonly units: readonly LogitUnit[];
  /** Share of the whole that a score would be; NaN: the score cannot be of this unit. */
  readonly share: (score: number) => number;
  /** By how much rounding of every score may move the sum of a row. */
  readonly rounding: (row: readonly number[]) => number;
  /** Whether the row says anything: numbers of a hand-written example, such as 1 and 0, do not. */
  readonly tells: (row: readonly number[]) => boolean;
}

const between = (score: number, high: number) => (score >= 0 && score <= high ? score / high : Number.NaN);
const logarithm = (base: number) => (row: readonly number[]) => 0.5 * stepOf(row, [0.1, 0.01]) * Math.log(base);
const none = () => 0;
const hasFraction = (row: readonly number[]) => row.some((score) => Number.isFinite(score) && !Number.isInteger(score));

const LOOKS: readonly Look[] = [
  {
    name: 'probabilities',
    advice: 'say `--unit probabilities`',
    units: ['logits'],
    share: (score) => between(score, 1),
    rounding: (row) => 0.5 * row.length * stepOf(row, [0.01, 0.001]),
    tells: hasFraction,
  },
  {
    name: 'probabilities in per cent',
    advice: 'divide them by 100 and say `--unit probabilities`',
    units: ['logits'],
    share: (score) => between(score, 100),
    rounding: (row) => 0.005 * row.length * stepOf(row, [1, 0.1]),
    tells: (row) => row.filter((score) => score !== 0).length > 1,
  },
  {
    name: 'log-probabilities without their minus sign',
    advice: 'negate them and say `--unit logprobs`',
    units: ['logits'],
    share: (score) => (score >= 0 ? Math.exp(-score) : Number.NaN),
    rounding: logarithm(Math.E),
    tells: hasFraction,
  },
  {
    name: 'surprisals in bits',
    advice: 'multiply them by -ln 2 = -0.693147 and say `--unit logprobs`',
    units: ['logits'],
    share: (score) => (score >= 0 ? 2 ** -score : Number.NaN),
    rounding: logarithm(2),
    tells: hasFraction,
  },
  {
    name: 'log-probabilities to the base 10 without their minus sign',
    advice: 'multiply them by -ln 10 = -2.302585 and say `--unit logprobs`',
    units: ['logits'],
    share: (score) => (score >= 0 ? 10 ** -score : Number.NaN),
    rounding: logarithm(10),
    tells: hasFraction,
  },
  {
    name: 'probabilities in per mille',
    advice: 'divide them by 1000 and say `--unit probabilities`',
    units: ['logits'],
    share: (score) => between(score, 1000),
    rounding: (row) => 0.0005 * row.length * stepOf(row, [1, 0.1]),
    tells: (row) => row.filter((score) => score !== 0).length > 1,
  },
  {
    name: 'perplexities, which are 1 / probability',
    advice: 'take their reciprocals and say `--unit probabilities`',
    units: ['logits'],
    share: (score) => (score >= 1 ? 1 / score : Number.NaN),
    rounding: none,
    tells: hasFraction,
  },
  {
    name: 'odds, which are p / (1 - p)',
    advice: 'turn them into probabilities, odds / (1 + odds), and say `--unit probabilities`',
    units: ['logits'],
    share: (score) => (score >= 0 ? score / (1 + score) : Number.NaN),
    rounding: none,
    tells: hasFraction,
  },
  {
    name: 'log-odds, which are ln(p / (1 - p))',
    advice: 'turn them into probabilities, 1 / (1 + exp(-log-odds)), and say `--unit probabilities`',
    units: ['logits'],
    share: (score) => 1 / (1 + Math.exp(-score)),
    rounding: none,
    // Two logits about a mean of 0 are log-odds of something else, and honest logits.
    tells: (row) => row.length > 2 && hasFraction(row),
  },
  {
    name: 'log-probabilities to the base 2',
    advice: 'multiply them by ln 2 = 0.693147',
    units: ['logits', 'logprobs'],
    share: (score) => (score <= 0 ? 2 ** score : Number.NaN),
    rounding: logarithm(2),
    tells: hasFraction,
  },
  {
    name: 'log-probabilities to the base 10',
    advice: 'multiply them by ln 10 = 2.302585',
    units: ['logits', 'logprobs'],
    share: (score) => (score <= 0 ? 10 ** score : Number.NaN),
    rounding: logarithm(10),
    tells: hasFraction,
  },
];

/** Rounding to three digits of every one of a few numbers moves their sum by less. */
const TOLERANCE = 2e-3;

/** From so many rows on, sums that rounding explains and single rows of another kind do not hide what a file is. */
const MANY = 10;
const NEARLY_ALL = 0.95;

/** The least share of the next token that options have in a file of their probabilities. */
const LEAST_MASS = 0.5;

/** How the rows of a file do in one look. */
interface Count {
  /** Rows that add up to 1 within `TOLERANCE`. */
  exact: number;
  /** Those that do so within their own rounding. */
  near: number;
  telling: number;
}

/**
 * What the numbers of a file look like: the rows add up to 1 in a unit that is not the declared one. Raw logits do so
 * by chance in no file of more than a row or two. Rows are added one after the other, so that a file of any length
 * takes constant memory.
 */
export class UnitLooks {
  #rows = 0;
  /** Rows that are probabilities of options which do not share out the whole next token. */
  #parts = 0;
  #fractions = 0;
  readonly #counts: ReadonlyArray<readonly [Look, Count]>;
  readonly #unit: LogitUnit;

  constructor(unit: LogitUnit) {
    this.#unit = unit;
    this.#counts = LOOKS.filter(({ units }) => units.includes(unit)).map((look) => [
      look,
      { exact: 0, near: 0, telling: 0 },
    ]);
  }

  /** Whether there are rows enough for chance not to explain them. */
  get isSure(): boolean {
    return this.#rows >= MANY;
  }

  /** K scores of one row, as the file has them. */
  add(scores: ArrayLike<number>): void {
    if (this.#counts.length === 0) return;
    const row = Array.from(scores);
    this.#rows++;
    if (hasFraction(row)) this.#fractions++;
    for (const [look, count] of this.#counts) {
      const gap = Math.abs(row.reduce((sum, score) => sum + look.share(score), 0) - 1);
      if (gap <= TOLERANCE) count.exact++;
      if (gap <= Math.max(TOLERANCE, look.rounding(row) + 1e-6)) count.near++;
      if (look.tells(row)) count.telling++;
    }
    const sum = row.reduce((total, score) => total + between(score, 1), 0);
    if (sum >= LEAST_MASS && sum <= 1 + TOLERANCE) this.#parts++;
  }

  /** Why the declared unit cannot be right; null: nothing speaks against it. */
  contradiction(): string | null {
    const declared = `the numbers are declared as ${this.#unit}, but those of`;
    const trust = 'or take them as they are declared with `--trust-unit`';
    const [look, count] = this.#counts.find(([, each]) => this.#isTrue(each)) ?? [];
    if (look !== undefined && count !== undefined) {
      const all =
        Math.max(count.exact, count.near) === this.#rows ? 'every row' : `${count.near} of ${this.#rows} rows`;
      return `${declared} ${all} add up to 1 as ${look.name}; ${look.advice}, ${trust}`;
    }
    if (this.#unit !== 'logits' || !this.isSure || this.#parts < this.#rows || 2 * this.#fractions < this.#rows)
      return null;
    return (
      `${declared} every row lie between 0 and 1 and add up to ${LEAST_MASS} to 1, as probabilities of options that ` +
      `share the next token with other words; say \`--unit probabilities\`, ${trust}`
    );
  }

  #isTrue({ exact, near, telling }: Count): boolean {
    if (telling > 0 && exact === this.#rows) return true;
    return this.isSure && near >= NEARLY_ALL * this.#rows && 2 * telling >= this.#rows;
  }
}

/** The largest of `steps` (descending) of which all finite scores are multiples; 0: of none. */
function stepOf(row: readonly number[], steps: readonly number[]): number {
  const isMultiple = (score: number, step: number) => Math.abs(score / step - Math.round(score / step)) < 1e-3;
  return steps.find((step) => row.every((score) => !Number.isFinite(score) || isMultiple(score, step))) ?? 0;
}
