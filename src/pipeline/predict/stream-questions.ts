import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ScoredRow } from '../../contract/scored-row.js';
import { openFiles, openSource } from '../../datasets/source/open-source.js';
import { overrideSource, type SourceOverride } from '../../datasets/source/override-source.js';
import { FaultList } from '../../formats/row/fault-list.js';
import type { SourceFile } from '../../formats/row/source-row.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import { type AnswerRules, answerQuestion, labelsOf, withSignals } from './answer-question.js';
import { type AskedQuestion, type Questions, questionAsker } from './artefact-questions.js';
import { gatherRows } from './gather-rows.js';
import type { PredictedRow } from './prediction-line.js';
import { ReplacedIds } from './replaced-ids.js';

export interface StreamedQuestions {
  readonly questions: Questions;
  /** A file of rows, paired text files by field, or standard input. */
  readonly input: SourceOverride | SourceFile;
  readonly score: (prompts: readonly ExamplePrompt[]) => Promise<readonly ScoredRow[]>;
  readonly rules: AnswerRules;
  /** Hears what questions go by in place of the id that their data set names. */
  readonly onNote?: ((note: string) => void) | undefined;
}

/** Questions that are scored together at first, and when many have come: the model is opened anew for each group. */
const TOGETHER = { first: 2000, largest: 16_000 } as const;

/**
 * Answers questions in the order in which they come, in constant memory: a fast source in groups of 2,000 to 16,000, a
 * slow one as they arrive. A row that cannot be asked or scored is a failed one.
 *
 * @throws SupportCalError missing-file; bad-input at the end, with the faults of everything that is no row at all; what
 *   `score` throws
 */
export async function* streamQuestions(
  artefact: CalibrationArtefact,
  { questions, input, score, rules, onNote }: StreamedQuestions,
): AsyncGenerator<PredictedRow[]> {
  const faults = new FaultList();
  const ask = questionAsker(questions);
  const replaced = new ReplacedIds();
  const { batches, fileOf } = await openQuestions(questions, input, faults);
  let any = false;
  for await (const rows of gatherRows(batches, TOGETHER.first, undefined, TOGETHER.largest)) {
    any = true;
    const asked = ask(rows);
    for (const each of asked) replaced.add(each.kind === 'ok' ? each.example.id : each.id, each.instead);
    // Ids may stand twice in a stream; a place in the group does not.
    const prompts = asked.flatMap((each, n) => (each.kind === 'ok' ? [{ ...each.prompt, id: String(n) }] : []));
    const scored = new Map((prompts.length === 0 ? [] : await score(prompts)).map((row) => [row.id, row]));
    yield asked.map((each, n) => answered(artefact, each, scored.get(String(n)), rules));
  }
  for (const note of replaced.notes()) onNote?.(note);
  if (!any && faults.count === 0) faults.add({ file: fileOf(), message: 'has no rows' });
  faults.throwIfAny();
}

function openQuestions({ spec }: Questions, input: SourceOverride | SourceFile, faults: FaultList) {
  if (typeof input === 'object' && 'stream' in input && typeof input.stream === 'object') {
    const { source } = spec.yaml;
    return openFiles([input as SourceFile], typeof source === 'object' ? source : {}, faults);
  }
  return openSource(overrideSource(spec, input as SourceOverride), faults);
}

function answered(
  artefact: CalibrationArtefact,
  question: AskedQuestion,
  scored: ScoredRow | undefined,
  rules: AnswerRules,
): PredictedRow {
  if (question.kind === 'wrong') return { id: question.id, status: 'failed', reason: question.reason };
  const { id, options } = question.example;
  if (scored?.status !== 'ok') return { id, status: 'failed', reason: scored?.reason ?? 'no usable logits' };
  const asked = { id, labels: labelsOf(question.prompt), options };
  return withSignals(answerQuestion(artefact, asked, scored.logits, rules), scored);
}
