import { type SignalTest, SignalWindow } from '../../inference/drift/signal-window.js';
import { type DriftReference, SIGNALS, type SignalName } from '../artefact/drift-schema.js';
import type { QuestionSignals } from '../artefact/question-signals.js';

/** A window of questions that are like those of the fit is called drift this often, over all signals together. */
export const FALSE_ALARM_RATE = 0.005;

/** Fewer questions show nothing. */
export const LEAST_ROWS = 30;

/** What a window of questions shows. */
export interface DriftReport {
  readonly rows: number;
  /** Whether the questions are unlike those of the fit; null: too few of them to tell. */
  readonly drift: boolean | null;
  /** Smallest p-value of a signal, times the number of signals (Bonferroni); 1 where no signal can be judged. */
  readonly pValue: number;
  readonly signals: ReadonlyArray<SignalTest & { readonly signal: SignalName }>;
}

/** The counts of a window, by which it can be written down and taken up again. */
export type WindowCounts = Partial<Record<SignalName, readonly number[]>>;

/**
 * New questions against those of the fit: each signal is compared by a two-sample test, and the window is called drift
 * where one of them is too far off. Constant memory, whatever the number of questions.
 */
export class DriftWindow {
  readonly #windows: ReadonlyMap<SignalName, SignalWindow>;
  #rows: number;

  /** @param earlier the counts and rows of a window that goes on; default: a new one */
  constructor(reference: DriftReference, earlier: { readonly rows: number; readonly counts: WindowCounts } = NEW) {
    this.#windows = new Map(
      SIGNALS.flatMap((name) => {
        const sketch = reference.signals[name];
        return sketch === undefined ? [] : [[name, new SignalWindow(sketch, earlier.counts[name])] as const];
      }),
    );
    this.#rows = earlier.rows;
  }

  get rows(): number {
    return this.#rows;
  }

  get counts(): WindowCounts {
    return Object.fromEntries([...this.#windows].map(([name, { counts }]) => [name, [...counts]]));
  }

  add(signals: QuestionSignals): void {
    this.#rows += 1;
    for (const [name, window] of this.#windows) window.add(signals[name] ?? Number.NaN);
  }

  report(): DriftReport {
    const signals = [...this.#windows]
      .filter(([, window]) => window.rows >= LEAST_ROWS)
      .map(([signal, window]) => ({ signal, ...window.test() }));
    const least = signals.reduce((min, { pValue }) => Math.min(min, pValue), 1);
    const pValue = Math.min(1, least * Math.max(1, signals.length));
    return { rows: this.#rows, drift: signals.length === 0 ? null : pValue <= FALSE_ALARM_RATE, pValue, signals };
  }
}

const NEW = { rows: 0, counts: {} };
