import { calibratedPrediction } from '../../core/calibrated-prediction.js';
import { median } from '../../numeric/quantile.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';

/** Values are kept for the medians of the first so many questions. */
const MOST_KEPT = 100_000;

/** What makes questions unlike those that a temperature was fitted on, seen as they are answered. */
export class SeenQuestions {
  readonly #confidences: number[] = [];
  readonly #masses: number[] = [];
  #otherCounts = 0;

  constructor(private readonly artefact: CalibrationArtefact) {}

  /** @param optionMass NaN: unknown */
  add(logits: ArrayLike<number>, optionMass: number): void {
    if (!Object.hasOwn(this.artefact.expected.optionCounts, logits.length)) this.#otherCounts += 1;
    if (this.#confidences.length >= MOST_KEPT) return;
    this.#confidences.push(calibratedPrediction(logits, 1).rawConfidence);
    if (!Number.isNaN(optionMass)) this.#masses.push(optionMass);
  }

  /** @param asked the data set whose fields and prompt the questions have */
  notes(asked: string): string[] {
    const { expected, dataset } = this.artefact;
    const { low, high } = expected.rawConfidence;
    const confidence = median(this.#confidences);
    const mass = median(this.#masses);
    const range = `what the fit saw (${low.toFixed(3)} to ${high.toFixed(3)})`;
    return [
      ...(asked === dataset.id
        ? []
        : [`the temperature was fitted on "${dataset.id}"; nobody knows how well it holds on "${asked}"`]),
      ...this.countNotes(),
      ...(confidence !== null && (confidence < low || confidence > high)
        ? [`the median raw confidence is ${confidence.toFixed(3)}, outside of ${range}: these are other questions`]
        : []),
      ...(mass !== null && mass < 0.5
        ? [
            `median option mass is ${mass.toFixed(3)}, below 0.5; the model expects other answer tokens, check the prompt`,
          ]
        : []),
    ];
  }

  /** How many questions have another number of options than any of the fit: all that can be said of bare logits. */
  countNotes(): string[] {
    if (this.#otherCounts === 0) return [];
    const known = Object.keys(this.artefact.expected.optionCounts).join(', ');
    const what = 'questions have another number of options than those that the temperature was fitted on';
    return [`${this.#otherCounts} ${what} (${known})`];
  }
}
