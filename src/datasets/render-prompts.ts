import { SupportCalError } from '../errors/supportcal-error.js';
import type { DatasetSpec } from './dataset-spec.js';
import type { Dataset, Example } from './example.js';
import { fewShotBlock } from './few-shot-block.js';
import { optionLabels } from './option-labels.js';
import type { ExamplePrompt } from './prompt.js';
import { type PromptPlan, promptPlan } from './prompt-plan.js';
import { fillTemplate } from './prompt-template.js';

/**
 * One prompt per example, in the order of the data set. `{field}` inserts the text of a field, `{options}` all options
 * with their labels; inserted text is never read as a template again, so data that contains `{options}` stays data.
 * The few-shot block, the same for all, stands before the question.
 *
 * @param variant null: the plain prompt; default: the one that the data set uses
 * @throws SupportCalError bad-input: see promptPlan; a field that an example lacks; more options than labels
 */
export function renderPrompts(
  dataset: Dataset,
  spec: DatasetSpec,
  variant: string | null = spec.yaml.variant ?? null,
): ExamplePrompt[] {
  const plan = promptPlan(spec, variant ?? undefined);
  const block = fewShotBlock(
    dataset.shots.map((shot) => renderPrompt(shot, plan, spec)),
    dataset.shots.map((shot) => shot.label!),
    spec.yaml.prompt?.fewShot?.separator,
  );
  const prompts = dataset.examples.map((example) => renderPrompt(example, plan, spec));
  return block === '' ? prompts : prompts.map((prompt) => ({ ...prompt, text: block + prompt.text }));
}

function renderPrompt(example: Example, plan: PromptPlan, spec: DatasetSpec): ExamplePrompt {
  const labels = optionLabels(plan.optionLabels, example.options.length);
  if (labels.length < example.options.length) {
    throw fail(spec, plan, example, `${example.options.length} options, but only ${labels.length} option labels`);
  }
  const optionText = (k: number) =>
    fillTemplate(plan.option, (field) => (field === 'label' ? labels[k]! : example.options[k]!));
  const text = fillTemplate(plan.template, (field) => {
    if (field === 'options') return example.options.map((_, k) => optionText(k)).join(plan.optionJoin);
    if (Object.hasOwn(example.fields, field)) return example.fields[field]!;
    const known = Object.keys(example.fields).slice(0, 40).join(', ');
    throw fail(spec, plan, example, `the template names {${field}}; this example has: options, ${known}`);
  });
  const { answerPrefix, textScore } = plan;
  if (textScore === null) return { id: example.id, text, mode: 'letter', continuations: labels, answerPrefix };
  return { id: example.id, text, mode: 'text', continuations: example.options, textScore, answerPrefix };
}

function fail(spec: DatasetSpec, plan: PromptPlan, example: Example, message: string): SupportCalError {
  const { yamlPath } = plan;
  const at = { file: spec.file, ...spec.locate(yamlPath), field: yamlPath.join('.'), row: example.id };
  return new SupportCalError('bad-input', { ...at, message });
}
