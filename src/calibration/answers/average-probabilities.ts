import { logSumExp } from '../../numeric/log-sum-exp.js';
import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';
import { logSoftmax } from '../../numeric/softmax.js';

/**
 * ln((softmax(a_n) + softmax(b_n)) / 2) for N rows of K logits of two models: their ensemble (Lakshminarayanan et al.
 * 2017). What comes out has the shape of what goes in.
 */
export function averageProbabilities(a: RaggedRows, b: RaggedRows): RaggedRows {
  const values = new Float64Array(a.values.length);
  for (let n = 0; n < a.rowCount; n++) {
    const [first, second] = [logSoftmax(rowOf(a, n)), logSoftmax(rowOf(b, n))];
    const both = first.map((logProb, k) => logSumExp([logProb, second[k]!]) - Math.LN2);
    values.set(both, a.offsets[n]);
  }
  return { rowCount: a.rowCount, offsets: a.offsets, values };
}
