import type { LoadedModel } from '../protocol/backend.js';
import type { WorkerPlan } from '../protocol/protocol.js';
import type { Tokenising } from './encode-jobs.js';
import type { ByteCounts } from './least-tokens.js';

/** How the prompts of a model are tokenised; the vocabulary is looked through for the first long prompt alone. */
export function tokenisingFor(
  { tokenize, info, keepsLinesApart, tokenReach }: LoadedModel,
  { contextSize }: Pick<WorkerPlan, 'contextSize'>,
): Omit<Tokenising, 'onProgress' | 'siblings'> {
  const { trainContextSize } = info;
  let known: ByteCounts | null | undefined;
  const reach = () => {
    if (known === undefined) known = tokenReach?.() ?? null;
    return known;
  };
  const most = Math.min(contextSize ?? Number.POSITIVE_INFINITY, trainContextSize || Number.POSITIVE_INFINITY);
  return { tokenize, linesApart: keepsLinesApart?.() === true, room: { most, reach } };
}
