import type { LogitUnit } from '../../datasets/logits/from-unit.js';
import { type StreamedLogits, streamLogits } from '../../datasets/logits/stream-logits.js';
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
  /** Hears of every question what is known of it without a label. */
  readonly onSignals?: ((signals: QuestionSignals) => void) | undefined;
}

/**
 * `supportcal predict --logits`: applies the temperature of an artefact to option scores from anywhere; no model, no
 * cache. Rows come in the order of the file, in groups and in constant memory. A row that cannot be used is a failed
 * one; one without an id has its number.
 *
 * @param file a path, or what is read in its place
 * @throws SupportCalError as `streamLogits`
 */
export async function* predictLogits(
  artefact: CalibrationArtefact,
  file: string | SourceFile,
  { unit, onSignals, ...rules }: LogitRules,
  onNote: (note: string) => void,
): AsyncGenerator<PredictedRow[]> {
  const count = { usable: 0, distributions: 0 };
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
      count.usable += 1;
      if (unit === 'logits' && isDistribution(scored.logits)) count.distributions += 1;
      seen.add(scored.logits, scored.optionMass, scored.promptTokens);
      const asked = { id: scored.id, labels, options: null };
      return withSignals(answerQuestion(artefact, asked, scored.logits, rules), scored);
    });
  }
  if (count.usable > 0 && count.distributions === count.usable)
    onNote('the numbers of every row are probabilities by their looks; if they are, say --unit probabilities');
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

/** Numbers in [0, 1] whose sum is 1 within rounding. */
function isDistribution(values: ArrayLike<number>): boolean {
  let sum = 0;
  for (let k = 0; k < values.length; k++) {
    if (!(values[k]! >= 0 && values[k]! <= 1)) return false;
    sum += values[k]!;
  }
  return Math.abs(sum - 1) < 1e-3;
}
