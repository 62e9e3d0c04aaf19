import fc from 'fast-check';
import { raggedRows } from '../../src/numeric/ragged-rows.js';

/** Logits of a target, its base and a pool of four, all over the same examples of 2 to 6 options. */
export interface RandomTarget {
  readonly target: number[][];
  readonly ownBase: number[][];
  readonly pool: number[][][];
}

const logit = fc.integer({ min: -4000, max: 4000 }).map((value) => value / 1000);

export const randomTarget: fc.Arbitrary<RandomTarget> = fc
  .array(fc.integer({ min: 2, max: 6 }), { minLength: 4, maxLength: 30 })
  .chain((counts) => {
    const model = fc.tuple(...counts.map((k) => fc.array(logit, { minLength: k, maxLength: k })));
    return fc.record({ target: model, ownBase: model, pool: fc.array(model, { minLength: 4, maxLength: 4 }) });
  });

/** The shape that `calibrateTarget` takes; references are called a, b, c, d. */
export function inputOf({ target, ownBase, pool }: RandomTarget, methods: readonly string[], sizes: number[] = [2]) {
  return {
    targetLogits: raggedRows(target),
    ownBaseLogits: raggedRows(ownBase),
    references: pool.map((rows, r) => ({ id: 'abcd'[r]!, logits: raggedRows(rows) })),
    methods,
    combinationSizes: sizes,
  };
}

export const SEEDED = { seed: 4321, numRuns: 120 };
