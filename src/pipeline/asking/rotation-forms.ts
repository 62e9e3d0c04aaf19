import { ANSWER_METHODS } from '../../calibration/methods.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { SuitePlan } from '../../config/plan-suite.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { DatasetSpec } from '../../datasets/example/dataset-spec.js';
import type { Dataset } from '../../datasets/example/example.js';
import { renderRotations, rotationRefusal } from '../../datasets/prompts/render-prompts.js';
import { variantOf } from './prompt-forms.js';

/** What is asked under every order of the options. */
export interface RotationForm {
  readonly prompts: readonly ExamplePrompt[];
  /** What is left to evaluate beside the plain prompts: without the first order, which is the plain prompt. */
  readonly evaluated: readonly ExamplePrompt[];
}

/** Prompts under every order of the options by variant; a text in their place says why there are none. */
export type RotationForms = ReadonlyMap<string | null, RotationForm | string>;

/** Methods of the plan that need the targets scored under every order of the options. */
export function rotationMethods({ methods }: Pick<SuitePlan, 'methods'>): string[] {
  const needing = new Set(ANSWER_METHODS.filter(({ needs }) => needs === 'rotations').map(({ name }) => name));
  return methods.filter((method) => needing.has(method));
}

/** Renders the forms that the targets are asked in, each once; none where no method of the plan needs them. */
export function renderRotationForms(
  dataset: Dataset,
  spec: DatasetSpec,
  plan: Pick<SuitePlan, 'methods' | 'targetsOf'>,
): RotationForms {
  if (rotationMethods(plan).length === 0) return new Map();
  const names = new Set(plan.targetsOf(spec.id).map(({ target }) => variantOf(spec.yaml, target)));
  return new Map([...names].map((name) => [name, rotationRefusal(spec, name) ?? formOf(dataset, spec, name)] as const));
}

function formOf(dataset: Dataset, spec: DatasetSpec, variant: string | null): RotationForm {
  const prompts = renderRotations(dataset, spec, variant);
  return { prompts, evaluated: prompts.map(withoutFirstOrder) };
}

function withoutFirstOrder({ rotations = [], ...prompt }: ExamplePrompt): ExamplePrompt {
  return { ...prompt, rotations: rotations.slice(1) };
}

/** What a model is asked under every order of the options; null: nothing, it is no target or no method needs it. */
export function rotationsFor(
  plan: Pick<SuitePlan, 'targetsOf'>,
  spec: DatasetSpec,
  forms: RotationForms,
  model: Pick<ModelSpec, 'id' | 'promptVariant'>,
): RotationForm | null {
  if (!plan.targetsOf(spec.id).some(({ target }) => target.id === model.id)) return null;
  const form = forms.get(variantOf(spec.yaml, model));
  return form === undefined || typeof form === 'string' ? null : form;
}

/** Why methods that rotate the options are left out on a data set, one line per reason. */
export function rotationWarnings(plan: Pick<SuitePlan, 'methods'>, forms: RotationForms): string[] {
  const methods = rotationMethods(plan).join(', ');
  const reasons = [...forms].flatMap(([variant, form]) =>
    typeof form === 'string' ? [`${variant === null ? '' : `variant "${variant}": `}${form}`] : [],
  );
  return [...new Set(reasons)].map((reason) => `left out (${methods}), ${reason}`);
}
