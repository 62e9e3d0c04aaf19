import { walkRows } from '../../numeric/kernels/row-kernels.js';
import type { RaggedRows } from '../../numeric/ragged-rows.js';
import { zerosBeside } from '../../numeric/shared-array.js';

export interface Predictions {
  /** N option indexes: the argmax of each row, ties to the lowest index. */
  readonly indexes: Int32Array;
  /** Rows whose maximum occurs more than once. */
  readonly ties: number;
}

/**
 * Predicted option of every row of logits, yhat_n = argmax_k z_n[k] (Sec. preliminaries). A temperature never changes
 * it.
 */
export function predictions(logits: RaggedRows): Predictions {
  const found = known.get(logits) ?? predict(logits);
  known.set(logits, found);
  return found;
}

/** Several steps of a run ask for the predictions of the same logits, which nobody changes. */
const known = new WeakMap<RaggedRows, Predictions>();

function predict(logits: RaggedRows): Predictions {
  const indexes = zerosBeside(logits.values, Int32Array, logits.rowCount);
  let ties = 0;
  walkRows(
    logits,
    ({ memory, predict: predictBlock }, first, last) => {
      ties += predictBlock(last - first);
      indexes.set(memory.predictions.subarray(0, last - first), first);
    },
    (first, last) => {
      ties += predictRows(logits, indexes, first, last);
    },
  );
  return { indexes, ties };
}

/** Writes the predictions of some rows, each looked at once; returns how many of them are tied. */
function predictRows({ offsets, values }: RaggedRows, indexes: Int32Array, first: number, last: number): number {
  let ties = 0;
  for (let n = first; n < last; n++) {
    const start = offsets[n]!;
    const end = offsets[n + 1]!;
    let best = start;
    let max = values[start]!;
    let tied = 0;
    for (let k = start + 1; k < end; k++) {
      const value = values[k]!;
      if (value > max) {
        max = value;
        best = k;
        tied = 0;
      } else if (value === max) tied = 1;
    }
    indexes[n] = best - start;
    ties += tied;
  }
  return ties;
}
