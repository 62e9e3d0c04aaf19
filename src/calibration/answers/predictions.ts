import { argmaxOfRow, hasTiedMaximum } from '../../numeric/argmax.js';
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
  const { rowCount, offsets, values } = logits;
  const indexes = zerosBeside(values, Int32Array, rowCount);
  let ties = 0;
  for (let n = 0; n < rowCount; n++) {
    indexes[n] = argmaxOfRow(logits, n);
    if (hasTiedMaximum(values, offsets[n], offsets[n + 1])) ties++;
  }
  return { indexes, ties };
}
