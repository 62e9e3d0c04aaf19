import { readFile } from 'node:fs/promises';
import { type Fault, SupportCalError } from '../errors/supportcal-error.js';
import { whyUnreadable } from '../files/why-unreadable.js';
import { median } from '../numeric/quantile.js';
import { rowOf } from '../numeric/ragged-rows.js';
import { applyTemperature } from './artefact/apply-temperature.js';
import type { CalibrationArtefact } from './artefact/artefact-schema.js';
import { loadNewQuestions, type NewQuestions, type QuestionOptions } from './artefact/new-questions.js';
import { parseArtefact } from './artefact/parse-artefact.js';
import { otherOptionCounts } from './artefact/predict-logits.js';
import type { PredictedRow } from './artefact/prediction-line.js';
import type { ReadyEntry } from './join/planned-entry.js';
import { lookUpModels } from './score/fetch-models.js';
import { deviceOf } from './score/open-for-scoring.js';
import { scoreMissing } from './score/score-missing.js';
import { type ModelPlan, plainEntries, planScores } from './score/score-plan.js';
import { promptsFor } from './workspace/load-workspace.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import { promptDifferences, promptSettings } from './workspace/prompt-settings.js';

export interface PredictOptions extends Omit<QuestionOptions, 'dataset' | 'target'> {
  /** Default: the data set of the artefact. */
  readonly dataset?: string;
  /** Take the temperature though the model file, or the prompt, is not the one that it was fitted with. */
  readonly allowOtherModel?: boolean;
  readonly allowOtherPrompt?: boolean;
}

export async function readArtefact(file: string): Promise<CalibrationArtefact> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const message = cause.code === 'ENOENT' ? 'no such file; `supportcal export` writes one' : whyUnreadable(cause);
    throw new SupportCalError('missing-file', { file, message }, { cause });
  });
  return parseArtefact(text, file);
}

/**
 * `supportcal predict --input`: scores new questions with the target of an artefact alone, through the cache (an
 * interrupted run goes on where it stopped), and applies the temperature. Rows in id order, those that the data set's
 * rules leave out last.
 *
 * @throws SupportCalError as `loadNewQuestions`; bad-input when model file or prompt are not those of the artefact;
 *   scoring when the model cannot be scored; interrupted
 */
export async function predictQuestions(
  artefact: CalibrationArtefact,
  options: PredictOptions,
  events: PipelineEvents,
  signal: AbortSignal,
): Promise<Iterable<PredictedRow>> {
  events.onStage?.('load');
  const asked = { ...options, dataset: options.dataset ?? artefact.dataset.id, target: artefact.target.id };
  const loaded = await loadNewQuestions(asked, { events, signal });
  const workspace = { ...loaded.workspace, unfound: await lookUpModels(loaded.workspace) };
  const device = await deviceOf(workspace);
  const before = await onlyPlan(workspace, device);
  const faults = [
    ...(options.allowOtherModel ? [] : modelFaults(artefact, before)),
    ...(options.allowOtherPrompt ? [] : promptFaults(artefact, loaded)),
  ];
  if (faults.length > 0) throw new SupportCalError('bad-input', faults);
  const reasons = await scoreMissing({ workspace, device, events, signal }, [before]);
  const after = reasons === null ? before : await onlyPlan(workspace, device);
  const [entry] = plainEntries(after).values();
  if (entry?.kind !== 'ready') {
    const unavailable = entry?.kind === 'unavailable' ? entry.reason : undefined;
    const reason = reasons?.get(loaded.model.id) ?? unavailable ?? 'not all questions were scored; run again';
    throw new SupportCalError('scoring', `${loaded.model.id}: ${reason}`);
  }
  for (const note of notes(artefact, asked.dataset, entry)) events.onLog?.('warn', note);
  return predictedRows(artefact, loaded, entry);
}

/** What is planned for the one model of the questions. */
async function onlyPlan(...input: Parameters<typeof planScores>): Promise<ModelPlan> {
  const [plan] = await planScores(...input);
  if (plan === undefined) throw new SupportCalError('internal', 'the questions have no model');
  return plan;
}

/** Whether the temperature was fitted to the scores of this very file. */
function modelFaults({ target }: CalibrationArtefact, plan: ModelPlan): Fault[] {
  const { found, model } = plan;
  const flag = '; export a calibration for this model, or use the temperature all the same with --allow-other-model';
  if (found === null) {
    const [entry] = plainEntries(plan).values();
    const why = entry?.kind === 'unavailable' ? entry.reason : 'its file cannot be read';
    return [{ file: model.file, message: why }];
  }
  if (target.sha256 === null) {
    const message =
      `the artefact was fitted on imported scores of "${target.id}", so nobody knows whether they ` +
      `are of this file${flag}`;
    return [{ file: model.file, message }];
  }
  const adapters = (lora: CalibrationArtefact['target']['lora']) =>
    lora.map(({ sha256, scale }) => `${sha256.slice(0, 12)} x ${scale}`).join(', ') || 'none';
  const here = adapters(found.lora.map(({ sha256, scale }) => ({ sha256, scale })));
  return [
    ...(found.sha256 === target.sha256
      ? []
      : [
          `is another model: sha256 ${found.sha256.slice(0, 12)}, the artefact was fitted to ` +
            `${target.sha256.slice(0, 12)}`,
        ]),
    ...(here === adapters(target.lora)
      ? []
      : [`has the adapters ${here}, the artefact was fitted with ${adapters(target.lora)}`]),
  ].map((message) => ({ file: model.file, message: message + flag }));
}

function promptFaults({ prompt }: CalibrationArtefact, { workspace, questions, model }: NewQuestions): Fault[] {
  const { spec } = workspace.datasets[0];
  const own = promptSettings(spec, questions.shots, model);
  if (own === null || own.hash === prompt?.hash) return [];
  const flag = 'export again, or use the temperature all the same with --allow-other-prompt';
  const differences =
    prompt === null
      ? ['the artefact does not say how its questions were put']
      : promptDifferences(prompt.settings, own.settings);
  return differences.map((each) => ({
    file: spec.file,
    field: 'prompt',
    message: `questions are put in another way than those of the artefact (${each}); ${flag}`,
  }));
}

/** What makes the questions unlike those that the temperature was fitted on. */
function notes({ expected, dataset }: CalibrationArtefact, asked: string, { table }: ReadyEntry): string[] {
  const confidences: number[] = [];
  let other = 0;
  for (let n = 0; n < table.ids.length; n++) {
    if (table.status[n] !== 1) continue;
    const logits = rowOf(table.logits, n);
    if (!Object.hasOwn(expected.optionCounts, logits.length)) other += 1;
    confidences.push(applyTemperature(logits, 1).rawConfidence);
  }
  const mass = median(table.optionMass.filter((value) => !Number.isNaN(value)));
  const { low, high } = expected.rawConfidence;
  const confidence = median(confidences);
  return [
    ...(asked === dataset.id
      ? []
      : [`the temperature was fitted on "${dataset.id}"; nobody knows how well it holds on "${asked}"`]),
    ...(other > 0 ? [otherOptionCounts(other, expected)] : []),
    ...(confidence !== null && (confidence < low || confidence > high)
      ? [
          `the median raw confidence is ${confidence.toFixed(3)}, outside of what the fit saw (${low.toFixed(3)} ` +
            `to ${high.toFixed(3)}): these are other questions`,
        ]
      : []),
    ...(mass !== null && mass < 0.5
      ? [`median option mass is ${mass.toFixed(3)}, below 0.5; the model expects other answer tokens, check the prompt`]
      : []),
  ];
}

function* predictedRows(
  { inverseTemperature }: CalibrationArtefact,
  { workspace, questions, model }: NewQuestions,
  { table }: ReadyEntry,
): Generator<PredictedRow> {
  const { spec, content } = workspace.datasets[0];
  const { prompts } = promptsFor(spec, content, model);
  const rowOfId = new Map(table.ids.map((id, row) => [id, row]));
  for (const [n, { id, options }] of questions.examples.entries()) {
    const row = rowOfId.get(id);
    if (row === undefined || table.status[row] === 0) {
      yield { id, status: 'failed', reason: (row === undefined ? null : table.reasons[row]) ?? 'no usable logits' };
      continue;
    }
    const said = applyTemperature(rowOf(table.logits, row), inverseTemperature);
    const { prediction, ...rest } = said;
    const prompt = prompts[n];
    const predictionLabel = prompt?.mode === 'letter' ? (prompt.continuations[prediction] ?? null) : null;
    yield { id, status: 'ok', prediction, predictionLabel, predictionText: options[prediction] ?? null, ...rest };
  }
  for (const { id, reason } of questions.leftOut) yield { id, status: 'failed', reason };
}
