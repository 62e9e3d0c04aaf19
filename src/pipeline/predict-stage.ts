import { access, readFile } from 'node:fs/promises';
import type { SourceOverride } from '../datasets/source/override-source.js';
import { SupportCalError } from '../errors/supportcal-error.js';
import { makeFolder } from '../files/make-folder.js';
import { whyUnreadable } from '../files/why-unreadable.js';
import type { SourceFile } from '../formats/row/source-row.js';
import { rowOf } from '../numeric/ragged-rows.js';
import type { CalibrationArtefact } from './artefact/artefact-schema.js';
import { parseArtefact } from './artefact/parse-artefact.js';
import type { QuestionSignals } from './artefact/question-signals.js';
import type { ReadyEntry } from './join/planned-entry.js';
import { allowedRules, type RuleChoices } from './predict/allowed-rules.js';
import { type AnswerRules, answerQuestion, labelsOf, withSignals } from './predict/answer-question.js';
import { loadNewQuestions, type NewQuestions } from './predict/new-questions.js';
import { openModel } from './predict/open-model.js';
import type { PredictedRow } from './predict/prediction-line.js';
import { questionScorer } from './predict/question-scorer.js';
import { questionSettings, type SettingOptions } from './predict/question-settings.js';
import { SeenQuestions } from './predict/seen-questions.js';
import { streamQuestions } from './predict/stream-questions.js';
import { lookUpModels } from './score/fetch-models.js';
import { deviceOf } from './score/open-for-scoring.js';
import { scoreMissing } from './score/score-missing.js';
import { type ModelPlan, plainEntries, planScores } from './score/score-plan.js';
import { promptsFor } from './workspace/load-workspace.js';
import type { PipelineEvents } from './workspace/pipeline-events.js';
import type { RunOptions } from './workspace/run-options.js';

export interface PredictOptions extends SettingOptions, RuleChoices, Pick<RunOptions, 'gpu'> {
  /** File of rows, like those of the data set; or paired text files by field. */
  readonly input: SourceOverride;
  /** Hears of every scored question what is known of it without a label. */
  readonly onSignals?: ((signals: QuestionSignals) => void) | undefined;
}

export interface StreamOptions extends Omit<PredictOptions, 'input'> {
  /** As of `PredictOptions`, or standard input. */
  readonly input: SourceOverride | SourceFile;
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
 * @throws SupportCalError as `questionSettings` and `loadNewQuestions`; bad-input when model file or prompt are not
 *   those of the artefact; scoring when the model cannot be scored; interrupted
 */
export async function predictQuestions(
  artefact: CalibrationArtefact,
  options: PredictOptions,
  events: PipelineEvents,
  signal: AbortSignal,
): Promise<Iterable<PredictedRow>> {
  events.onStage?.('load');
  await mustExist(options.input);
  const settings = await questionSettings(artefact, options, { events, signal });
  const loaded = await loadNewQuestions(settings, options.input, options);
  const workspace = { ...loaded.workspace, unfound: await lookUpModels(loaded.workspace) };
  const device = await deviceOf(workspace);
  const before = await onlyPlan(workspace, device);
  const rules = allowedRules(
    artefact,
    { settings, options, events },
    before.found ?? { reason: unfoundReason(before) },
  );
  const reasons = await scoreMissing({ workspace, device, events, signal }, [before]);
  const after = reasons === null ? before : await onlyPlan(workspace, device);
  const [entry] = plainEntries(after).values();
  if (entry?.kind !== 'ready') {
    const unavailable = entry?.kind === 'unavailable' ? entry.reason : undefined;
    const reason = reasons?.get(loaded.model.id) ?? unavailable ?? 'not all questions were scored; run again';
    throw new SupportCalError('scoring', `${loaded.model.id}: ${reason}`);
  }
  const seen = new SeenQuestions(artefact, options.onSignals);
  const { table } = entry;
  for (let n = 0; n < table.ids.length; n++)
    if (table.status[n] === 1)
      seen.add(rowOf(table.logits, n), table.optionMass[n] ?? Number.NaN, table.promptTokens[n]);
  for (const note of seen.notes(options.dataset ?? artefact.dataset.id)) events.onLog?.('warn', note);
  return predictedRows(artefact, loaded, entry, rules);
}

/**
 * `supportcal predict --model`, and `--input -`: as `predictQuestions`, but rows are answered in the order in which
 * they come, in constant memory, and nothing is kept in the cache but what is remembered of files and devices. A row
 * without the id of the data set goes by its field `id`, else by its number, and a warning says so.
 *
 * @throws SupportCalError as `predictQuestions`; what is wrong with rows that are none comes at the end
 */
export async function* predictStream(
  artefact: CalibrationArtefact,
  options: StreamOptions,
  events: PipelineEvents,
  signal: AbortSignal,
): AsyncGenerator<PredictedRow[]> {
  events.onStage?.('load');
  const { input } = options;
  if (!isStream(input)) await mustExist(input);
  const settings = await questionSettings(artefact, options, { events, signal });
  const { model } = settings;
  await makeFolder(options.cache);
  const opened = await openModel(settings, options);
  const rules = allowedRules(artefact, { settings, options, events }, opened.found);
  const scorer = questionScorer(opened, events, signal);
  const seen = new SeenQuestions(artefact, options.onSignals);
  try {
    events.onStage?.('score');
    yield* streamQuestions(artefact, {
      questions: settings,
      input,
      rules,
      onNote: (note) => events.onLog?.('warn', note),
      async score(prompts) {
        const rows = await scorer.score(prompts);
        for (const row of rows) if (row.status === 'ok') seen.add(row.logits, row.optionMass, row.promptTokens);
        return rows;
      },
    });
  } finally {
    await scorer.close();
  }
  events.onLog?.('info', `${model.id}: all questions answered`);
  for (const note of seen.notes(options.dataset ?? artefact.dataset.id)) events.onLog?.('warn', note);
}

function isStream(input: SourceOverride | SourceFile): input is SourceFile {
  return typeof input === 'object' && typeof input.stream === 'object';
}

function unfoundReason(plan: ModelPlan): string {
  const [entry] = plainEntries(plan).values();
  return entry?.kind === 'unavailable' ? entry.reason : 'its file cannot be read';
}

/** A pattern is looked up when it is opened. */
async function mustExist(input: SourceOverride): Promise<void> {
  for (const file of typeof input === 'string' ? [input] : Object.values(input)) {
    if (/[*?[{]/.test(file)) continue;
    await access(file).catch((cause: NodeJS.ErrnoException) => {
      const message = cause.code === 'ENOENT' ? 'no such file; name one with questions' : whyUnreadable(cause);
      throw new SupportCalError('missing-file', { file, message }, { cause });
    });
  }
}

/** What is planned for the one model of the questions. */
async function onlyPlan(...input: Parameters<typeof planScores>): Promise<ModelPlan> {
  const [plan] = await planScores(...input);
  if (plan === undefined) throw new SupportCalError('internal', 'the questions have no model');
  return plan;
}

function* predictedRows(
  artefact: CalibrationArtefact,
  { workspace, questions, model }: NewQuestions,
  { table }: ReadyEntry,
  rules: AnswerRules,
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
    const prompt = prompts[n];
    const labels = prompt === undefined ? null : labelsOf(prompt);
    const answer = answerQuestion(artefact, { id, labels, options }, rowOf(table.logits, row), rules);
    const [optionMass, promptTokens] = [table.optionMass[row] ?? Number.NaN, table.promptTokens[row] ?? 0];
    yield withSignals(answer, { optionMass, promptTokens });
  }
  for (const { id, reason } of questions.leftOut) yield { id, status: 'failed', reason };
}
