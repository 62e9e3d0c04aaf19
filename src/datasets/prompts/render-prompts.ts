import type { ExamplePrompt, RotatedPrompt } from '../../contract/prompt.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import type { Dataset, Example } from '../example/example.js';
import { labelsNameOptions, optionLabels } from '../options/option-labels.js';
import { promptBudget } from './prompt-budget.js';
import { type PromptLayout, promptLayout } from './prompt-layout.js';
import { fillTemplate } from './prompt-template.js';

/**
 * One prompt per example, in the order of the data set. `{field}` inserts the text of a field, `{options}` all options
 * with their labels; inserted text is never read as a template again, so data that contains `{options}` stays data.
 * The few-shot block, the same for all, stands before the question.
 *
 * @param variant null: the plain prompt; default: the one that the data set uses
 * @throws SupportCalError bad-input: see promptLayout; a field that an example lacks; more options than labels
 */
export function renderPrompts(
  dataset: Dataset,
  spec: DatasetSpec,
  variant: string | null = spec.yaml.variant ?? null,
): ExamplePrompt[] {
  const layout = promptLayout(spec, variant ?? undefined);
  const block = blockOf(dataset, spec, layout);
  const count = promptBudget(spec);
  return dataset.examples.map((example) => renderPrompt(example, layout, spec, { block, count }));
}

/**
 * Why the options of a data set cannot be shown in another order, or null.
 *
 * @param variant as in `renderPrompts`
 */
export function rotationRefusal(spec: DatasetSpec, variant: string | null = spec.yaml.variant ?? null): string | null {
  const { textScore, template } = promptLayout(spec, variant ?? undefined);
  if (textScore !== null)
    return (
      `\`scoring.mode: ${spec.yaml.scoring?.mode}\` scores the texts of ` +
      `options; rotating their order needs letter mode`
    );
  return template.fields.includes('options')
    ? null
    : 'the template does not show {options}, so their order cannot be rotated';
}

/**
 * One prompt per example that shows the options in all K cyclic orders: rotation r shows option (p + r) mod K at
 * position p. Letters and digits stay with the position; labels that name their option (words) go with it. The few-shot
 * block does not change. Only for data sets without a `rotationRefusal`.
 *
 * @param most characters of all of them together; for tests
 * @throws SupportCalError bad-input as `renderPrompts`, and where they would be more than memory holds
 */
export function renderRotations(
  dataset: Dataset,
  spec: DatasetSpec,
  variant: string | null = spec.yaml.variant ?? null,
  most?: number,
): ExamplePrompt[] {
  const layout = promptLayout(spec, variant ?? undefined);
  const block = blockOf(dataset, spec, layout);
  const count = promptBudget(spec, most);
  return dataset.examples.map((example): ExamplePrompt => {
    const rotations = example.options.map((_, shift): RotatedPrompt => {
      const { text, continuations } = renderPrompt(example, layout, spec, { block, shift, count });
      return { text, continuations };
    });
    return { id: example.id, ...rotations[0]!, mode: 'rotations', rotations, answerPrefix: layout.answerPrefix };
  });
}

/** The prompts of a layout with another template in its place; the few-shot block stays as the layout has it. */
export function renderWith(
  dataset: Dataset,
  spec: DatasetSpec,
  layout: PromptLayout,
  template: PromptLayout['template'],
): ExamplePrompt[] {
  const block = blockOf(dataset, spec, layout);
  const count = promptBudget(spec);
  return dataset.examples.map((example) => renderPrompt(example, { ...layout, template }, spec, { block, count }));
}

function blockOf(dataset: Dataset, spec: DatasetSpec, layout: PromptLayout): string {
  return fewShotBlock(
    dataset.shots.map((shot) => renderPrompt(shot, layout, spec, { block: '' })),
    dataset.shots.map((shot) => shot.label ?? -1),
    spec.yaml.prompt?.fewShot?.separator,
  );
}

/** The text before every question, by how many places the options are rotated, and what adds the prompts up. */
interface Placing {
  readonly block: string;
  readonly shift?: number;
  readonly count?: ReturnType<typeof promptBudget>;
}

function renderPrompt(
  example: Example,
  layout: PromptLayout,
  spec: DatasetSpec,
  { block, shift = 0, count: addUp }: Placing,
): ExamplePrompt {
  const labels = optionLabels(layout.optionLabels, example.options.length);
  if (labels.length < example.options.length) {
    throw fail(spec, layout, example, `${example.options.length} options, but only ${labels.length} option labels`);
  }
  const count = example.options.length;
  const named = labelsNameOptions(layout.optionLabels);
  const labelOf = (k: number) => labels[named ? k : (k - shift + count) % count] ?? '';
  const shown = (k: number) =>
    fillTemplate(layout.option, (field) => (field === 'label' ? labelOf(k) : (example.options[k] ?? '')));
  const text = fillTemplate(layout.template, (field) => {
    if (field === 'options') return example.options.map((_, p) => shown((p + shift) % count)).join(layout.optionJoin);
    const value = Object.hasOwn(example.fields, field) ? example.fields[field] : undefined;
    if (value !== undefined) return value;
    const known = Object.keys(example.fields).slice(0, 40).join(', ');
    throw fail(spec, layout, example, `the template names {${field}}; this example has: options, ${known}`);
  });
  const { answerPrefix, textScore } = layout;
  const base = { id: example.id, text: block + text, answerPrefix };
  addUp?.(example, base.text);
  if (textScore !== null) return { ...base, mode: 'text', continuations: example.options, textScore };
  return { ...base, mode: 'letter', continuations: example.options.map((_, k) => labelOf(k)) };
}

function fail(spec: DatasetSpec, layout: PromptLayout, example: Example, message: string): SupportCalError {
  const { yamlPath } = layout;
  const at = { file: spec.file, ...spec.locate(yamlPath), field: yamlPath.join('.'), row: example.id };
  return new SupportCalError('bad-input', { ...at, message });
}

/**
 * The text before every question: each shot's own prompt with its answer, and `separator` after it. The answer is what
 * the scorer would be asked about: after the answer prefix, or by default after one space where the prompt ends in a
 * visible character.
 *
 * @param answers 0-based index of the right option of each shot
 */
function fewShotBlock(shots: readonly ExamplePrompt[], answers: readonly number[], separator = '\n\n'): string {
  return shots
    .map(({ text, answerPrefix, continuations }, n) => {
      const answer = continuations[answers[n] ?? -1];
      if (answer === undefined) throw new Error(`shot ${n + 1} has no answer`);
      const prefix = answerPrefix ?? (/\S$/u.test(text) ? ' ' : '');
      return text + prefix + answer + separator;
    })
    .join('');
}
