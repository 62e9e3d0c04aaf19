import type { ModelSpec } from '../../config/models-schema.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import { elicitationRefusal } from '../../datasets/prompts/render-elicitation.js';
import { variantOf } from './prompt-forms.js';
import type { AskedPrompts, RenderedWay, RenderInput } from './way-of-asking.js';

/** Renders requests to the targets of a data set, whose options must be in sight; targets that are asked alike share them. */
export function renderForTargets(
  { spec, suite }: RenderInput,
  render: (target: ModelSpec, variant: string | null) => readonly ExamplePrompt[],
): RenderedWay {
  const known = new Map<string, AskedPrompts>();
  const asked = new Map<string, AskedPrompts>();
  const refusals = new Set<string>();
  for (const { target } of suite.targetsOf(spec.id)) {
    const variant = variantOf(spec.yaml, target);
    const refusal = elicitationRefusal(spec, variant);
    if (refusal !== null) {
      refusals.add(refusal);
      continue;
    }
    const likeness = JSON.stringify([variant, target.prompt, target.elicitationPrompt ?? null]);
    const same = known.get(likeness) ?? whole(render(target, variant));
    known.set(likeness, same);
    asked.set(target.id, same);
  }
  return { promptsOf: ({ id }) => asked.get(id) ?? null, refusals: [...refusals] };
}

function whole(prompts: readonly ExamplePrompt[]): AskedPrompts {
  return { prompts, evaluated: prompts };
}
