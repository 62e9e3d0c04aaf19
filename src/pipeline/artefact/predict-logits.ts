import type { LogitUnit } from '../../datasets/logits/from-unit.js';
import { type StreamedLogits, streamLogits } from '../../datasets/logits/stream-logits.js';
import { applyTemperature } from './apply-temperature.js';
import type { CalibrationArtefact } from './artefact-schema.js';
import type { PredictedRow } from './prediction-line.js';

/**
 * `supportcal predict --logits`: applies the temperature of an artefact to option scores from anywhere; no model, no
 * cache. Rows come in the order of the file, in groups; nothing but their ids is kept. A row that cannot be used is a
 * failed one.
 *
 * @throws SupportCalError as `streamLogits`
 */
export async function* predictLogits(
  { inverseTemperature, optionLabels, expected }: CalibrationArtefact,
  file: string,
  unit: LogitUnit,
  onNote: (note: string) => void,
): AsyncGenerator<PredictedRow[]> {
  const seen = { usable: 0, distributions: 0, otherCounts: 0 };
  const ids = new RepeatedIds();
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
      seen.usable += 1;
      if (unit === 'logits' && isDistribution(scored.logits)) seen.distributions += 1;
      if (!Object.hasOwn(expected.optionCounts, scored.logits.length)) seen.otherCounts += 1;
      const said = applyTemperature(scored.logits, inverseTemperature);
      const predictionLabel = optionLabels?.[said.prediction] ?? null;
      const { prediction, ...rest } = said;
      return { id: scored.id, status: 'ok', prediction, predictionLabel, predictionText: null, ...rest };
    });
  }
  if (seen.usable > 0 && seen.distributions === seen.usable)
    onNote('the numbers of every row are probabilities by their looks; if they are, say --unit probabilities');
  if (ids.note !== null) onNote(ids.note);
  if (seen.otherCounts > 0) onNote(otherOptionCounts(seen.otherCounts, expected));
}

/** Every row is answered for itself, but whoever looks answers up by id finds one of several. */
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
    } else this.seen.add(id);
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

/** For questions that are unlike those of the fit. */
export function otherOptionCounts(count: number, { optionCounts }: CalibrationArtefact['expected']): string {
  const known = Object.keys(optionCounts).join(', ');
  return `${count} questions have another number of options than those that the temperature was fitted on (${known})`;
}
