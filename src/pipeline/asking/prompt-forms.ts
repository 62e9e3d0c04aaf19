import type { DatasetYaml } from '../../config/dataset-schema.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { DatasetSpec } from '../../datasets/example/dataset-spec.js';
import type { Dataset } from '../../datasets/example/example.js';
import { renderPrompts } from '../../datasets/prompts/render-prompts.js';

/** The prompts of a data set by variant; null: the plain prompt. Only the forms that some model of the run uses. */
export type PromptForms = ReadonlyMap<string | null, readonly ExamplePrompt[]>;

/** The variant that a model is asked with: its own where the data set defines it, else the one the data set uses. */
export function variantOf(yaml: DatasetYaml, model: Pick<ModelSpec, 'promptVariant'>): string | null {
  const own = model.promptVariant;
  if (own !== undefined && Object.hasOwn(yaml.prompt?.variants ?? {}, own)) return own;
  return yaml.variant ?? null;
}

/** Renders the data set's own form and those that models ask for, each once. */
export function renderForms(
  dataset: Dataset,
  spec: DatasetSpec,
  models: readonly Pick<ModelSpec, 'promptVariant'>[],
): PromptForms {
  const names = new Set([spec.yaml.variant ?? null, ...models.map((model) => variantOf(spec.yaml, model))]);
  return new Map([...names].map((name) => [name, renderPrompts(dataset, spec, name)]));
}

/** The plain prompts in the variant that the data set itself uses. */
export function ownForm(forms: PromptForms, { yaml }: DatasetSpec): readonly ExamplePrompt[] {
  return forms.get(yaml.variant ?? null) ?? [];
}

/** A note for every model whose variant no data set of the run defines: most likely a slip of the pen. */
export function unusedVariants(
  models: readonly Pick<ModelSpec, 'id' | 'promptVariant'>[],
  datasets: readonly { readonly yaml: DatasetYaml }[],
): string[] {
  const known = new Set(datasets.flatMap(({ yaml }) => Object.keys(yaml.prompt?.variants ?? {})));
  return models.flatMap(({ id, promptVariant }) =>
    promptVariant === undefined || known.has(promptVariant)
      ? []
      : [
          `${id}: no data set here has the prompt variant "${promptVariant}"; variants: ` +
            `${[...known].join(', ') || 'none'}`,
        ],
  );
}
