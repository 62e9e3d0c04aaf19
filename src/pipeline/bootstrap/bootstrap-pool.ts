import type { NestedResamples } from '../../inference/nested-bootstrap.js';
import { type SignedErrors, signedErrors, splitErrors } from '../../inference/signed-errors.js';
import type { ReliabilityBin } from '../../metrics/bins/reliability-bin.js';
import type { Evaluation } from '../../metrics/evaluate.js';
import { mean } from '../../numeric/mean.js';

/** One seed, so that every target and method of a data set sees the same draws of examples. */
export const BOOTSTRAP_SEED = 1;

/** One method on one target: the seeds that have an ECE, what they measured, and what resamples say of it. */
export interface MeasuredMethod {
  readonly target: string;
  readonly method: string;
  readonly combinationSize: number | null;
  readonly seeds: readonly number[];
  /** Per seed, the clusters of the labelled examples that were measured; empty where nobody keeps them. */
  readonly examples: readonly Int32Array[];
  /** Per seed. */
  readonly bins: ReadonlyArray<readonly ReliabilityBin[]>;
  /** Mean over the seeds. */
  readonly ece: number;
  /** Root of the mean of the squares over the seeds; null where it is not known. */
  readonly rmsCe: number | null;
  /** Mean over the seeds; null where it is not known. */
  readonly smoothEce: number | null;
  /** Per seed. */
  readonly confidences: readonly Float64Array[];
  /** null where the bins of all options are not known, or the number of options varies. */
  readonly classwise: ClasswiseErrors | null;
  /** null: the method was not resampled. */
  readonly nested: NestedResamples | null;
  /** What `pairedDifference` looks at, over all seeds; null without resamples. */
  readonly signed: SignedErrors | null;
}

/** The mean classwise ECE over the seeds and, per seed, the bins of all options in one list. */
export interface ClasswiseErrors {
  readonly options: number;
  readonly ece: number;
  readonly bins: ReadonlyArray<readonly ReliabilityBin[]>;
}

type Measured = Pick<Evaluation, 'ece' | 'bins' | 'examples' | 'confidences' | 'correct'> &
  Partial<Pick<Evaluation, 'rmsCe' | 'smoothEce' | 'classwiseEce' | 'classBins'>>;

interface Group {
  readonly target: string;
  readonly method: string;
  readonly combinationSize: number | null;
  readonly seeds: number[];
  readonly evaluations: Measured[];
  readonly examples: Int32Array[];
  nested: NestedResamples | null;
}

/** Collects the evaluations of all targets, methods and seeds of one data set, and their resamples. */
export class BootstrapPool {
  readonly #groups = new Map<string, Group>();
  readonly #made = new WeakMap<Group, Pick<Group, 'nested'> & { evaluations: number; method: MeasuredMethod }>();

  /** `resamples` 0: nothing is resampled. */
  constructor(readonly resamples: number) {}

  /** Takes the evaluations of one target; `clustersOf` are those of its rows. */
  ofTarget(target: string, clustersOf: (rows: Int32Array) => Int32Array) {
    return (seed: number, method: string, combinationSize: number | null, evaluation: Measured | null) => {
      if (evaluation === null) return;
      const key = keyOf(target, method, combinationSize);
      const empty = { seeds: [], evaluations: [], examples: [], nested: null };
      const group = this.#groups.get(key) ?? { target, method, combinationSize, ...empty };
      this.#groups.set(key, group);
      group.seeds.push(seed);
      group.evaluations.push(evaluation);
      group.examples.push(clustersOf(evaluation.examples));
    };
  }

  /** Takes the resamples of a method of a target. */
  addResamples(target: string, method: string, combinationSize: number | null, nested: NestedResamples): void {
    const group = this.#groups.get(keyOf(target, method, combinationSize));
    if (group !== undefined) group.nested = nested;
  }

  /** Every method of every target, in the order in which they came; those measured on one example alone cannot vary. */
  measured(): MeasuredMethod[] {
    return [...this.#groups.values()].filter(varies).map((group) => {
      const known = this.#made.get(group);
      // Objects of the same seeds and resamples are the same, so that what is made of them is made once.
      if (known?.nested === group.nested && known.evaluations === group.evaluations.length) return known.method;
      const method = measuredMethod(group);
      this.#made.set(group, { nested: group.nested, evaluations: group.evaluations.length, method });
      return method;
    });
  }
}

function measuredMethod({ evaluations, nested, ...group }: Group): MeasuredMethod {
  return {
    ...group,
    bins: evaluations.map(({ bins }) => bins),
    ece: evaluations.reduce((sum, { ece }) => sum + ece, 0) / evaluations.length,
    rmsCe: rootMeanSquare(evaluations.flatMap(({ rmsCe }) => rmsCe ?? [])),
    smoothEce: mean(evaluations.flatMap(({ smoothEce }) => smoothEce ?? [])),
    confidences: evaluations.map(({ confidences }) => confidences),
    classwise: classwiseOf(evaluations),
    nested,
    signed: nested === null ? null : signedOf(evaluations, nested),
  };
}

function rootMeanSquare(values: readonly number[]): number | null {
  const square = mean(values.map((value) => value ** 2));
  return square === null ? null : Math.sqrt(square);
}

function classwiseOf(evaluations: readonly Measured[]): ClasswiseErrors | null {
  const known = evaluations.flatMap(({ classwiseEce, classBins }) =>
    classwiseEce === undefined || classBins === undefined ? [] : [{ classwiseEce, classBins }],
  );
  const [first] = known;
  if (first === undefined || known.length < evaluations.length) return null;
  const options = first.classBins.length;
  const countOf = (bins: readonly ReliabilityBin[]) => bins.reduce((sum, { count }) => sum + count, 0);
  const whole = known.every(
    ({ classBins }) => classBins.length === options && new Set(classBins.map(countOf)).size === 1,
  );
  if (!whole) return null;
  return {
    options,
    ece: mean(known.map(({ classwiseEce }) => classwiseEce)) ?? 0,
    bins: known.map(({ classBins }) => classBins.flat()),
  };
}

function keyOf(target: string, method: string, combinationSize: number | null): string {
  return JSON.stringify([target, method, combinationSize]);
}

function signedOf(evaluations: readonly Measured[], nested: NestedResamples): SignedErrors {
  const splits = evaluations.map(({ examples, confidences, correct }) =>
    splitErrors(
      Float64Array.from(examples, (row) => nested.signs[row] ?? 0),
      confidences,
      correct,
    ),
  );
  return signedErrors(nested, splits);
}

function varies({ evaluations, examples }: Group): boolean {
  const first = examples[0]?.[0];
  if (first !== undefined) return examples.some((clusters) => clusters.some((cluster) => cluster !== first));
  return evaluations.some(({ bins }) => bins.reduce((sum, { count }) => sum + count, 0) > 1);
}
