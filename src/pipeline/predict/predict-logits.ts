import type { LogitUnit } from '../../datasets/logits/from-unit.js';
import { type StreamedLogits, streamLogits } from '../../datasets/logits/stream-logits.js';
import { UnitLooks } from '../../datasets/logits/unit-looks.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import type { SourceFile } from '../../formats/row/source-row.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import type { QuestionSignals } from '../artefact/question-signals.js';
import { type AnswerRules, answerQuestion, withSignals } from './answer-question.js';
import type { PredictedRow } from './prediction-line.js';
import { SeenQuestions } from './seen-questions.js';

/** Ids are compared with those of the first so many rows. */
const MOST_IDS = 100_000;

/** How scores are read and answered. */
export interface LogitRules extends AnswerRules {
  readonly unit: LogitUnit;
  /** Take the numbers as `unit` says, though they look like another unit. */
  readonly trustUnit?: boolean;
  /** Hears of every question what is known of it without a label. */
  readonly onSignals?: ((signals: QuestionSignals) => void) | undefined;
}

/**
 * `supportcal predict --logits`: applies the temperature of an artefact to option scores from anywhere; no model, no
 * cache. Rows come in the order of the file, in groups and in constant memory. A row that cannot be used is a failed
 * one; one without an id has its number.
 *
 * @param file a path, or what is read in its place
 * @throws SupportCalError as `streamLogits`; bad-input at the end, when the numbers of many rows are of another unit by
 *   their looks (of few rows it is a note)
 */
export async function* predictLogits(
  artefact: CalibrationArtefact,
  file: string | SourceFile,
  { unit, trustUnit = false, onSignals, ...rules }: LogitRules,
  onNote: (note: string) => void,
): AsyncGenerator<PredictedRow[]> {
  const looks = new UnitLooks(unit);
  const seen = new SeenQuestions(artefact, onSignals);
  const ids = new RepeatedIds();
  const { optionLabels: labels } = artefact;
  for await (const batch of streamLogits(file, unit)) {
    yield batch.map((row): PredictedRow => {
      ids.add(row);
      if (row.kind === 'wrong') {
        const [first] = row.faults;
        const reason = row.faults.map(({ field, message }) => `${field}: ${message}`).join('; ');
        return { id: first?.row ?? String(row.number), status: 'failed', reason };
      }
      const { scored } = row.row;
      if (scored.status === 'failed') return { id: scored.id, status: 'failed', reason: scored.reason };
      looks.add(scored.logits);
      seen.add(scored.logits, scored.optionMass, scored.promptTokens);
      const asked = { id: scored.id, labels, options: null };
      return withSignals(answerQuestion(artefact, asked, scored.logits, rules), scored);
    });
  }
  const doubt = trustUnit ? null : looks.contradiction();
  if (doubt !== null && looks.isSure)
    throw new SupportCalError('bad-input', { file: nameOf(file), field: 'logits', message: doubt });
  if (doubt !== null) onNote(doubt);
  if (ids.note !== null) onNote(ids.note);
  for (const note of [...seen.countNotes(), ...seen.driftNotes()]) onNote(note);
}

/**
 * Every row is answered for itself, but whoever looks answers up by id finds one of several. Ids of the first rows are
 * kept and no more, so that memory stays constant.
 */
class RepeatedIds {
  private readonly seen = new Set<string>();
  private first: { readonly id: string; readonly number: number } | null = null;
  private count = 0;

  add(row: StreamedLogits): void {
    if (row.kind === 'wrong') return;
    const { id } = row.row.scored;
    if (this.seen.has(id)) {
      this.count++;
      this.first ??= { id, number: row.number };
    } else if (this.seen.size < MOST_IDS) this.seen.add(id);
  }

  get note(): string | null {
    if (this.first === null) return null;
    const { id, number } = this.first;
    const rows = this.count === 1 ? 'row has an id' : 'rows have ids';
    return (
      `${this.count} ${rows} that an earlier row has, the first in row ${number} ("${id}"): each has an ` +
      'answer of its own'
    );
  }
}

function nameOf(file: string | SourceFile): string {
  return typeof file === 'string' ? file : file.shown;
}
