import type { ModelFacts } from '../scoring/contract.js';

/** What is promised: a row has the same logits whatever its neighbours, to this. */
const PROMISED = 1e-4;

/**
 * The measured difference of a model whose logits hang on the batch by more than is promised, with the tolerance that
 * its backend has. None for a model that keeps the promise, for imported scores, and where nothing was compared.
 *
 * @param facts of the manifest of its scores, as they were read
 */
export function selfCheckNotes(dataset: string, model: string, facts: unknown): string[] {
  const { selfCheck, backend } = (facts ?? {}) as Partial<ModelFacts>;
  if (selfCheck === undefined || !(selfCheck.maxDifference > PROMISED)) return [];
  const { maxDifference, tolerance } = selfCheck;
  const verdict = maxDifference > tolerance ? 'more than' : 'within';
  return [
    `${dataset}, ${model}: the option scores of one prompt differ by ${maxDifference.toPrecision(2)} alone and in a ` +
      `batch, ${verdict} the ${tolerance} that ${backend} is allowed`,
  ];
}
