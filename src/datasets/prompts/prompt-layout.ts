import type { PromptYaml, ScoringYaml } from '../../config/dataset-schema.js';
import type { TextScore } from '../../contract/prompt.js';
import { type Fault, SupportCalError } from '../../errors/supportcal-error.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import type { OptionLabels } from '../options/option-labels.js';
import { type PromptTemplate, parseTemplate } from './prompt-template.js';

/** One prompt form of a data set, ready to be filled. */
export interface PromptLayout {
  readonly template: PromptTemplate;
  readonly option: PromptTemplate;
  readonly optionJoin: string;
  readonly optionLabels: OptionLabels;
  readonly answerPrefix: string | null;
  /** How option texts are scored; null: the labels are (letter mode). */
  readonly textScore: TextScore | null;
  /** Where the template stands in the YAML file. */
  readonly yamlPath: readonly string[];
}

/**
 * The plain prompt, or a variant: its keys replace those of the plain prompt.
 *
 * @throws SupportCalError bad-input: no prompt, an unknown variant, a broken template, equal labels, options shown in
 *   text mode or not shown in hybrid mode
 */
export function promptLayout(spec: DatasetSpec, variant: string | undefined): PromptLayout {
  const prompt = spec.yaml.prompt;
  if (prompt === undefined)
    throw fail(spec, ['prompt'], 'this data set has no prompt; write `prompt: {template: ...}`');
  const { variants, ...plain } = prompt;
  const own = variant === undefined ? {} : variants?.[variant];
  if (own === undefined || (variant !== undefined && !Object.hasOwn(variants ?? {}, variant))) {
    const known = Object.keys(variants ?? {}).join(', ') || 'none';
    throw fail(spec, ['variant'], `no prompt variant "${variant}"; variants: ${known}`);
  }
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  const merged: PromptYaml = { ...plain, ...given };
  const pathOf = (key: string) =>
    variant !== undefined && key in given ? ['prompt', 'variants', variant, key] : ['prompt', key];
  const labels = merged.optionLabels;
  const twice = Array.isArray(labels) ? labels.find((label, n) => labels.indexOf(label) !== n) : undefined;
  const [template, option] = [parseTemplate(merged.template), parseTemplate(merged.option ?? '{label}. {text}')];
  const wrong: ReadonlyArray<readonly [key: string, message: string | null]> = [
    ['optionLabels', twice === undefined ? null : `the label "${twice}" stands twice`],
    ['template', 'fault' in template ? template.fault : optionsShownFault(spec, template)],
    ['option', 'fault' in option ? option.fault : optionFault(option)],
  ];
  const faults = wrong.flatMap(([key, message]) => (message === null ? [] : fail(spec, pathOf(key), message).faults));
  if ('fault' in template || 'fault' in option || faults.length > 0) throw new SupportCalError('bad-input', faults);
  return {
    template,
    option,
    optionJoin: merged.optionJoin ?? '\n',
    optionLabels: labels,
    answerPrefix: merged.answerPrefix ?? null,
    textScore: textScoreOf(spec.yaml.scoring),
    yamlPath: pathOf('template'),
  };
}

/** Every prompt form of a data set, the plain one and all variants, and the faults of those that are none. */
export function allPromptLayouts(spec: DatasetSpec): { readonly layouts: PromptLayout[]; readonly faults: Fault[] } {
  if (spec.yaml.prompt === undefined) return { layouts: [], faults: [] };
  const names = [undefined, ...Object.keys(spec.yaml.prompt.variants ?? {})];
  if (spec.yaml.variant !== undefined && !names.includes(spec.yaml.variant)) names.push(spec.yaml.variant);
  const faults: Fault[] = [];
  const layouts = names.flatMap((name) => {
    try {
      return [promptLayout(spec, name)];
    } catch (error) {
      if (!(error instanceof SupportCalError)) throw error;
      faults.push(...error.faults);
      return [];
    }
  });
  return { layouts, faults };
}

/** Text mode scores what the prompt does not show; hybrid mode scores the text of what it does. */
function optionsShownFault(spec: DatasetSpec, { fields }: PromptTemplate): string | null {
  const mode = spec.yaml.scoring?.mode;
  const shown = fields.includes('options');
  if (mode === 'text' && shown)
    return 'the template shows {options}, which `scoring.mode: text` must not; use `mode: hybrid`';
  if (mode === 'hybrid' && !shown)
    return 'the template lacks {options}, which `scoring.mode: hybrid` must show; use `mode: text`';
  return null;
}

function optionFault({ fields }: PromptTemplate): string | null {
  const unknown = fields.find((field) => field !== 'label' && field !== 'text');
  return unknown === undefined ? null : `unknown field {${unknown}}; an option has {label} and {text}`;
}

const DEFAULT_PMI_PROMPT = 'Answer:';

function textScoreOf(scoring: ScoringYaml | undefined): TextScore | null {
  if (scoring === undefined || (scoring.mode ?? 'letter') === 'letter') return null;
  const { normalize = 'sum', pmiPrompt = DEFAULT_PMI_PROMPT } = scoring;
  return normalize === 'pmi' ? { normalize, pmiPrompt } : { normalize };
}

function fail(spec: DatasetSpec, path: readonly string[], message: string): SupportCalError {
  return new SupportCalError('bad-input', { file: spec.file, ...spec.locate(path), field: path.join('.'), message });
}
