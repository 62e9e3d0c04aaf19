import type { ExamplePrompt } from '../../contract/prompt.js';
import type { Example } from '../../datasets/example/example.js';
import { promptLayout } from '../../datasets/prompts/prompt-layout.js';
import { renderPrompts } from '../../datasets/prompts/render-prompts.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { makeFolder } from '../../files/make-folder.js';
import type { RowObject } from '../../formats/row/source-row.js';
import type { StayingModel } from '../../scoring/staying-model.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import type { PipelineEvents } from '../workspace/pipeline-events.js';
import type { RunOptions } from '../workspace/run-options.js';
import { allowedRules, type RuleChoices } from './allowed-rules.js';
import { answerQuestion, labelsOf } from './answer-question.js';
import { type Questions, questionAsker } from './artefact-questions.js';
import type { KeptModels } from './kept-models.js';
import { openModel } from './open-model.js';
import type { PredictedRow } from './prediction-line.js';
import { questionSettings, type SettingOptions } from './question-settings.js';
import { SeenQuestions } from './seen-questions.js';

export interface AnswererOptions extends SettingOptions, RuleChoices, Pick<RunOptions, 'gpu'> {}

/** What came of one question: the answer, and the scores it was made of where the model gave some. */
export interface AnsweredRow {
  readonly row: PredictedRow;
  readonly logits: ArrayLike<number> | null;
  /** NaN: unknown. */
  readonly optionMass: number;
  /** 0: unknown. */
  readonly promptTokens: number;
}

/** Answers questions of one artefact with its model, which stays loaded. */
export interface ArtefactAnswerer {
  readonly artefact: CalibrationArtefact;
  readonly model: StayingModel;
  /**
   * One answer for each row, in their order: rows have the fields that the artefact names. One without the id that it
   * names goes by its field `id`, else by its number.
   */
  answer(rows: ReadonlyArray<{ readonly values: RowObject; readonly number: number }>): Promise<AnsweredRow[]>;
  close(): Promise<void>;
}

/** Tokens that a question may have where nobody says how long those of the fit were. */
const USUAL_TOKENS = 2048;
const LEAST_TOKENS = 512;

/**
 * Finds the model of an artefact, checks it against the artefact, and keeps it for questions, among `models`. It is
 * loaded with the first of them, or by `model.open()`. A question may be twice as long as the longest of the fit.
 *
 * @throws SupportCalError as `questionSettings`; bad-input when model file or prompt are not those of the artefact
 */
export async function openAnswerer(
  artefact: CalibrationArtefact,
  options: AnswererOptions,
  events: PipelineEvents,
  { signal, models }: { readonly signal: AbortSignal; readonly models: KeptModels },
): Promise<ArtefactAnswerer> {
  const settings = await questionSettings(artefact, options, { events, signal });
  await makeFolder(options.cache);
  const { model, found, device } = await openModel(settings, options);
  const rules = allowedRules(artefact, { settings, options, events }, found);
  const { place } = found;
  if (place.kind !== 'gguf')
    throw new SupportCalError('usage', `${model.id} is behind a server, not in a GGUF file; name that with --upstream`);
  const longest = artefact.asking?.frame?.contextSize ?? USUAL_TOKENS / 2;
  const needs = { longest: Math.max(LEAST_TOKENS, 2 * longest), sharing: beginning(settings) };
  const kept = models.want({ model, device }, place, needs);
  const ask = questionAsker(settings);
  return {
    artefact,
    get model() {
      return kept();
    },
    async answer(rows) {
      const asked = ask(rows.map((row) => ({ ...row, line: undefined })));
      const scored = (await kept().score(asked.flatMap((each) => (each.kind === 'ok' ? [each.prompt] : [])))).values();
      return asked.map((each): AnsweredRow => {
        if (each.kind === 'wrong') return failed(each.id, each.reason);
        const score = scored.next().value;
        if (score?.status !== 'ok') return failed(each.example.id, score?.reason ?? 'no usable logits');
        const question = { id: each.example.id, labels: labelsOf(each.prompt), options: each.example.options };
        const { logits, optionMass, promptTokens } = score;
        return { row: answerQuestion(artefact, question, logits, rules), logits, optionMass, promptTokens };
      });
    },
    close: () => kept().close(),
  };
}

/** What makes a stretch of questions unlike those of the fit, in words; none where nothing does. */
export function windowNotes(artefact: CalibrationArtefact, rows: readonly AnsweredRow[]): string[] {
  const seen = new SeenQuestions(artefact);
  for (const { logits, optionMass, promptTokens } of rows)
    if (logits !== null) seen.add(logits, optionMass, promptTokens);
  return seen.notes(artefact.dataset.id);
}

function failed(id: string, reason: string): AnsweredRow {
  return { row: { id, status: 'failed', reason }, logits: null, optionMass: Number.NaN, promptTokens: 0 };
}

/** Two questions that differ from their first letter on: what their prompts share, all prompts do. */
function beginning({ spec, shots, variant }: Questions): ExamplePrompt[] {
  const { fields } = promptLayout(spec, variant ?? undefined).template;
  const question = (text: string): Example => ({
    id: text,
    fields: Object.fromEntries(fields.map((field) => [field, text])),
    options: [`${text}1`, `${text}2`],
    label: null,
    contentHash: '',
  });
  const examples = ['x', 'Z'].map(question);
  const { id } = spec;
  const common = { id, title: id, leftOut: [], warnings: [], rules: [], origin: [], hash: '', shots };
  return renderPrompts({ ...common, examples }, spec, variant);
}
