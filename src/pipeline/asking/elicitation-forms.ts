import { ANSWER_METHODS } from '../../calibration/methods.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { DatasetSpec } from '../../datasets/example/dataset-spec.js';
import type { Dataset } from '../../datasets/example/example.js';
import { elicitationRefusal, renderElicitation, renderTruth } from '../../datasets/prompts/render-elicitation.js';
import { variantOf } from './prompt-forms.js';

/** Ways of asking a target beside its plain prompts and rotations. */
export const ELICITATION_KINDS = ['elicitation', 'elicitation-ensemble', 'p-true'] as const;
export type ElicitationKind = (typeof ELICITATION_KINDS)[number];

/** What each target is asked, by kind; a text in place of the prompts says why there are none. */
export type ElicitationForms = Readonly<
  Record<ElicitationKind, ReadonlyMap<string, readonly ExamplePrompt[] | string>>
>;

export const NO_FORMS: ElicitationForms = {
  elicitation: new Map(),
  'elicitation-ensemble': new Map(),
  'p-true': new Map(),
};

type Asking = Pick<SuitePlan, 'methods' | 'targetsOf' | 'elicitation'>;

/** Methods of the plan that need replies of the given kind. */
function methodsOf({ methods }: Pick<SuitePlan, 'methods'>, kind: ElicitationKind): string[] {
  return methods.filter((name) => ANSWER_METHODS.some((method) => method.name === name && method.needs === kind));
}

/** Renders what methods of the plan need; targets that are asked alike share their prompts. */
export function renderElicitationForms(dataset: Dataset, spec: DatasetSpec, plan: Asking): ElicitationForms {
  const known = new Map<string, readonly ExamplePrompt[] | string>();
  const formsOf = (kind: ElicitationKind) => {
    if (methodsOf(plan, kind).length === 0) return new Map<string, readonly ExamplePrompt[] | string>();
    return new Map(
      plan.targetsOf(spec.id).map(({ target }) => {
        const variant = variantOf(spec.yaml, target);
        const key = JSON.stringify([kind, variant, target.prompt, target.elicitationPrompt ?? null]);
        const form =
          known.get(key) ?? elicitationRefusal(spec, variant) ?? render(kind, dataset, spec, variant, target, plan);
        known.set(key, form);
        return [target.id, form] as const;
      }),
    );
  };
  return {
    elicitation: formsOf('elicitation'),
    'elicitation-ensemble': formsOf('elicitation-ensemble'),
    'p-true': formsOf('p-true'),
  };
}

function render(
  kind: ElicitationKind,
  dataset: Dataset,
  spec: DatasetSpec,
  variant: string | null,
  target: ModelSpec,
  { elicitation }: Asking,
): readonly ExamplePrompt[] {
  if (kind === 'p-true') {
    const { prompt = null, labels = ['yes', 'no'] as [string, string] } = elicitation.trueFalse ?? {};
    return renderTruth(dataset, spec, variant, target.prompt, { instruction: prompt, labels });
  }
  const { seed, maxTokens, structured } = elicitation;
  const drawn = kind === 'elicitation-ensemble';
  const instruction = target.elicitationPrompt ?? spec.yaml.elicitation?.prompt ?? elicitation.prompt ?? null;
  const samples = drawn ? elicitation.samples : 1;
  const temperature = drawn ? elicitation.temperature : 0;
  return renderElicitation(dataset, spec, variant, target.prompt, {
    ...{ instruction, samples, temperature, maxTokens, structured },
    // Greedy replies do not depend on a seed, and neither does their key.
    seed: drawn ? seed : 0,
  });
}

/** Why methods that ask for replies are left out on a data set, one line per reason. */
export function elicitationWarnings(plan: Pick<SuitePlan, 'methods'>, forms: ElicitationForms): string[] {
  const lines = ELICITATION_KINDS.flatMap((kind) =>
    [...forms[kind].values()].flatMap((form) =>
      typeof form === 'string' ? [`left out (${methodsOf(plan, kind).join(', ')}), ${form}`] : [],
    ),
  );
  return [...new Set(lines)];
}
