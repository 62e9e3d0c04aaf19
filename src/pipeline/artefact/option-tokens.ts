import type { InspectedPrompt } from '../../contract/inspection.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import { inspectModels } from '../../scoring/inspect-models.js';
import type { ModelPlan } from '../score/score-plan.js';
import type { Asking } from './asking-schema.js';

/**
 * The tokens that are scored for the option labels of the row with the most options, by the vocabulary of the target;
 * no weights are loaded. null: texts are scored, or the file is not here or cannot be read, which is no fault.
 *
 * @param prompts the target's prompts
 */
export async function optionTokens(
  { model, found }: ModelPlan,
  prompts: readonly ExamplePrompt[],
): Promise<Asking['optionTokens']> {
  const longest = longestOf(prompts);
  if (longest?.mode !== 'letter' || found?.place.kind !== 'gguf' || found.missing.length > 0) return null;
  let shown: InspectedPrompt | undefined;
  const jobs = [{ dataset: '', prompts: [longest] }];
  await inspectModels(
    [{ model, place: found.place, jobs }],
    { device: 'cpu' },
    {
      detail: 'pieces',
      onPrompts(_model, _dataset, [prompt]) {
        shown = prompt;
      },
    },
  );
  const { options = [], optionPieces = [], refused = 'unread' } = (shown ?? {}) as Partial<InspectedPrompt>;
  if (refused !== null) return null;
  return options.flatMap(({ tokens: [id] }, k) => {
    const text = optionPieces[k]?.join('');
    return id === undefined || text === undefined ? [] : [{ label: longest.continuations[k] ?? '', id, text }];
  });
}

/** The prompt with the most options. */
export function longestOf(prompts: readonly ExamplePrompt[]): ExamplePrompt | undefined {
  const [first, ...others] = prompts;
  if (first === undefined) return undefined;
  return others.reduce(
    (most, prompt) => (prompt.continuations.length > most.continuations.length ? prompt : most),
    first,
  );
}
