import { median } from '../../numeric/quantile.js';
import type { CalibrationArtefact } from '../artefact/artefact-schema.js';
import { type QuestionSignals, questionSignals } from '../artefact/question-signals.js';
import { driftText } from '../monitor/drift-text.js';
import { DriftWindow } from '../monitor/drift-window.js';

/** Values are kept for the medians of the first so many questions. */
const MOST_KEPT = 100_000;

/**
 * What makes questions unlike those that a temperature was fitted on, seen as they are answered; constant memory. What
 * an artefact of an earlier version does not know of its rows is compared by medians alone.
 */
export class SeenQuestions {
  readonly #confidences: number[] = [];
  readonly #masses: number[] = [];
  readonly #window: DriftWindow | null;
  #otherCounts = 0;

  /** @param onSignals hears of every question */
  constructor(
    private readonly artefact: CalibrationArtefact,
    private readonly onSignals?: (signals: QuestionSignals) => void,
  ) {
    this.#window = artefact.drift === null ? null : new DriftWindow(artefact.drift);
  }

  /**
   * @param optionMass NaN: unknown
   * @param promptTokens 0: unknown
   */
  add(logits: ArrayLike<number>, optionMass: number, promptTokens = 0): void {
    if (!Object.hasOwn(this.artefact.expected.optionCounts, logits.length)) this.#otherCounts += 1;
    const signals = questionSignals({ logits, optionMass, promptTokens });
    this.#window?.add(signals);
    this.onSignals?.(signals);
    if (this.#confidences.length >= MOST_KEPT) return;
    this.#confidences.push(signals.rawConfidence ?? Number.NaN);
    if (!Number.isNaN(optionMass)) this.#masses.push(optionMass);
  }

  /** @param asked the data set whose fields and prompt the questions have */
  notes(asked: string): string[] {
    const { dataset } = this.artefact;
    const mass = median(this.#masses);
    return [
      ...(asked === dataset.id
        ? []
        : [`the temperature was fitted on "${dataset.id}"; nobody knows how well it holds on "${asked}"`]),
      ...this.countNotes(),
      ...this.driftNotes(),
      ...(mass !== null && mass < 0.5
        ? [
            `median option mass is ${mass.toFixed(3)}, below 0.5; the model expects other answer tokens, check the prompt`,
          ]
        : []),
    ];
  }

  /** Whether the questions of this run, taken as one window, are like those of the fit. */
  driftNotes(): string[] {
    if (this.#window !== null) return [driftText(this.#window.report()) ?? []].flat();
    const { low, high } = this.artefact.expected.rawConfidence;
    const confidence = median(this.#confidences);
    if (confidence === null || (confidence >= low && confidence <= high)) return [];
    const range = `what the fit saw (${low.toFixed(3)} to ${high.toFixed(3)})`;
    return [`the median raw confidence is ${confidence.toFixed(3)}, outside of ${range}: these are other questions`];
  }

  /** How many questions have another number of options than any of the fit. */
  countNotes(): string[] {
    if (this.#otherCounts === 0) return [];
    const known = Object.keys(this.artefact.expected.optionCounts).join(', ');
    const what = 'questions have another number of options than those that the temperature was fitted on';
    return [`${this.#otherCounts} ${what} (${known})`];
  }
}
