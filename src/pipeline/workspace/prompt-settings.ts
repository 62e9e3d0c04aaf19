import type { ModelSpec } from '../../config/models-schema.js';
import type { DatasetSpec } from '../../datasets/example/dataset-spec.js';
import type { Dataset } from '../../datasets/example/example.js';
import { contentHash } from '../../files/content-hash.js';
import { variantOf } from '../asking/prompt-forms.js';

/**
 * How a model is asked on a data set, whatever the questions: a temperature holds for questions that are put like this.
 */
export interface PromptSettings {
  readonly hash: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** null: the data set has no prompt (its scores were imported). */
export function promptSettings(
  { yaml }: Pick<DatasetSpec, 'yaml'>,
  shots: Dataset['shots'],
  model: ModelSpec,
): PromptSettings | null {
  if (yaml.prompt === undefined) return null;
  const { variants, fewShot, ...plain } = yaml.prompt;
  const variant = variantOf(yaml, model);
  const { mode = 'letter', normalize, pmiPrompt } = yaml.scoring ?? {};
  const { bos, preTokenizer, kvType } = model.scoring ?? {};
  const settings = defined({
    ...defined({ ...plain, ...defined(variant === null ? {} : (variants?.[variant] ?? {})) }),
    decode: yaml.decode,
    scoringMode: mode,
    normalize,
    pmiPrompt,
    fewShot: shots.map(({ fields, options, label }) => ({ fields, options, label })),
    fewShotSeparator: fewShot?.separator,
    prompt: model.prompt,
    assistantPrefix: model.assistantPrefix,
    bos,
    preTokenizer,
    kvType,
  });
  return { hash: contentHash(settings), settings };
}

/** Names of the settings that two ways of asking do not share, with both values. */
export function promptDifferences(a: PromptSettings['settings'], b: PromptSettings['settings']): string[] {
  const text = (value: unknown) => (value === undefined ? 'none' : JSON.stringify(value));
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((field) => text(a[field]) !== text(b[field]))
    .map((field) => `${field}: ${text(a[field]).slice(0, 200)} there, ${text(b[field]).slice(0, 200)} here`);
}

function defined(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
