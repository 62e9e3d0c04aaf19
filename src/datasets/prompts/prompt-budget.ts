import { getHeapStatistics } from 'node:v8';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { DatasetSpec } from '../example/dataset-spec.js';

/**
 * Prompts are sent to the process that has the model, for which each becomes a text of its own: one few-shot block, or
 * one question in 26 orders, is then there as often as it is asked. A heap holds this part of itself of them.
 */
const SHARE_OF_HEAP = 3 / 8;

/**
 * Counts the characters of prompts as they are rendered.
 *
 * @param most characters that the prompts of a data set may have together in one way of asking; for tests
 * @throws SupportCalError bad-input at the example with which they have more
 */
export function promptBudget(
  spec: DatasetSpec,
  most = Math.floor(getHeapStatistics().heap_size_limit * SHARE_OF_HEAP),
): (example: { readonly id: string }, text: string) => void {
  let characters = 0;
  return ({ id }, text) => {
    characters += text.length;
    if (characters <= most) return;
    const path = ['prompt'];
    const held = `up to this row the prompts hold more than ${Math.floor(most / 2 ** 20)} MiB, which is all that memory allows`;
    const way =
      'take fewer rows (`limit`, `sample` or `filter` of the source), a shorter few-shot block or fewer orders of the ' +
      'options (no `cape`), or give Node a larger heap (NODE_OPTIONS=--max-old-space-size=MEBIBYTES)';
    const at = { file: spec.file, ...spec.locate(path), field: 'prompt', row: id };
    throw new SupportCalError('bad-input', { ...at, message: `${held}; ${way}` });
  };
}
