import type { ExamplePrompt, ReplyForm } from '../../contract/prompt.js';
import { contentHash } from '../../files/content-hash.js';
import type { DatasetSpec } from '../example/dataset-spec.js';
import type { Dataset, Example } from '../example/example.js';
import { labelsNameOptions, optionLabels } from '../options/option-labels.js';
import { type PromptLayout, promptLayout } from './prompt-layout.js';
import type { PromptTemplate } from './prompt-template.js';
import { renderWith } from './render-prompts.js';

/** The examples that are asked about, and in which words and form. */
export interface AskedDataset {
  readonly dataset: Dataset;
  readonly spec: DatasetSpec;
  /** A prompt variant of the data set; null: its plain prompt. */
  readonly variant: string | null;
  /** In chat, the prompt becomes a user's turn, whose reply needs no cue. */
  readonly frame: 'raw' | 'chat';
}

/** How a model is asked for an answer and its confidence. */
export interface ReplySettings {
  /** Text after question and options, `{labels}` for the labels of the row; null: the default, which asks for JSON. */
  readonly instruction: string | null;
  /** Replies per example. */
  readonly samples: number;
  readonly temperature: number;
  readonly seed: number;
  readonly maxTokens: number;
  readonly structured: 'grammar' | 'text';
}

/** How a model is asked whether a proposed option is right. */
export interface TruthSettings {
  /** Text after question and options, `{label}` and `{text}` for the proposed option; null: the default. */
  readonly instruction: string | null;
  /** What the model says if the option is right, and if it is not. */
  readonly labels: readonly [string, string];
}

/** `{"answer": "B", "confidence": 85}`, after nothing, a space or a line break. */
export const REPLY_FORM: ReplyForm = { leads: ['', ' ', '\n'], parts: ['{"answer": ', ', "confidence": ', '}'] };

const TRUTH = 'Is the answer {label} right? Reply yes or no.';

/** Why a data set's examples cannot be asked for a reply, or null. */
export function elicitationRefusal(spec: DatasetSpec, variant: string | null): string | null {
  const { template, optionLabels: labels } = promptLayout(spec, variant ?? undefined);
  if (template.fields.includes('options') || labelsNameOptions(labels)) return null;
  return 'the template does not show {options}, so a reply cannot name one';
}

/**
 * One prompt per example and sample, with the id `<example>#<sample>`: the data set's prompt without the literal text
 * at its end ("Answer:"), an empty line, and the instruction. A raw prompt with the default instruction ends in
 * "Reply:". A data set in text mode that shows its options is asked for their labels.
 */
export function renderElicitation(
  { dataset, spec, variant, frame }: AskedDataset,
  settings: ReplySettings,
): ExamplePrompt[] {
  const layout = promptLayout(spec, variant ?? undefined);
  const questions = questionsOf(dataset, spec, layout);
  return dataset.examples.flatMap((example, n) => {
    const labels = optionLabels(layout.optionLabels, example.options.length);
    const instruction = settings.instruction ?? defaultInstruction(layout, labels);
    const ask = instruction.replaceAll('{labels}', () => labels.join(', '));
    const text = `${questions[n] ?? ''}\n\n${ask}${settings.instruction === null && frame === 'raw' ? '\nReply:' : ''}`;
    const form = settings.structured === 'grammar' ? REPLY_FORM : null;
    const { temperature, maxTokens } = settings;
    return Array.from({ length: settings.samples }, (_, s): ExamplePrompt => {
      const sample = s + 1;
      const seed = seedOf(settings.seed, example.id, sample);
      return {
        id: `${example.id}#${sample}`,
        text,
        mode: 'reply',
        continuations: labels,
        answerPrefix: null,
        reply: { example: example.id, sample, seed, temperature, maxTokens, form, options: example.options },
      };
    });
  });
}

/**
 * One prompt per example with its K options proposed one after the other (`rotations` mode: what they begin with is
 * evaluated once); the two continuations of each are what the model says if it is right and if it is not.
 */
export function renderTruth(
  { dataset, spec, variant, frame }: AskedDataset,
  { instruction, labels: replies }: TruthSettings,
): ExamplePrompt[] {
  const layout = promptLayout(spec, variant ?? undefined);
  const questions = questionsOf(dataset, spec, layout);
  return dataset.examples.map((example, n): ExamplePrompt => {
    const labels = optionLabels(layout.optionLabels, example.options.length);
    const rotations = example.options.map((option, k) => {
      const ask = (instruction ?? TRUTH).replace(/\{(label|text)\}/g, (_, field) =>
        field === 'label' ? (labels[k] ?? '') : option,
      );
      const cue = instruction === null && frame === 'raw' ? '\nReply:' : '';
      return { text: `${questions[n] ?? ''}\n\n${ask}${cue}`, continuations: replies };
    });
    return { id: example.id, ...rotations[0]!, mode: 'rotations', rotations, answerPrefix: null };
  });
}

/** Few-shot block, question and options of every example, without the cue for the plain answer. */
function questionsOf(dataset: Dataset, spec: DatasetSpec, layout: PromptLayout): string[] {
  return renderWith(dataset, spec, layout, withoutCue(layout.template)).map(({ text }) => text.trimEnd());
}

/** A template without the literal text after its last field; the text of a template without fields stays. */
function withoutCue({ parts, fields }: PromptTemplate): PromptTemplate {
  const last = parts.at(-1);
  return last !== undefined && 'text' in last && parts.length > 1
    ? { parts: parts.slice(0, -1), fields }
    : { parts, fields };
}

function defaultInstruction(layout: PromptLayout, labels: readonly string[]): string {
  const named = labelsNameOptions(layout.optionLabels) || Array.isArray(layout.optionLabels);
  const kind = layout.optionLabels === 'digits' ? 'number' : 'letter';
  return `Reply with JSON: {"answer": ${named ? `one of ${labels.join(', ')}` : kind}, "confidence": 0 to 100}.`;
}

/** 31 bits that depend on nothing but the run's seed, the example and the sample. */
function seedOf(seed: number, example: Example['id'], sample: number): number {
  return Number.parseInt(contentHash({ seed, example, sample }).slice(0, 8), 16) >>> 1;
}
