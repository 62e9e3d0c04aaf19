import { WINDOW_ROWS } from '../pipeline/monitor/monitor-state.js';
import { type AnsweredRow, windowNotes } from '../pipeline/predict/artefact-answerer.js';
import type { ServedArtefact } from './served-artefacts.js';
import type { ServiceMetrics } from './service-metrics.js';

/** Counts answers, and says when a stretch of them is unlike the questions of the fit. */
export class AnswerWatch {
  #rows: AnsweredRow[] = [];

  constructor(
    private readonly served: ServedArtefact,
    private readonly metrics: ServiceMetrics,
    private readonly onWarning: (text: string) => void,
  ) {}

  add(rows: readonly AnsweredRow[]): void {
    const { name, artefact } = this.served;
    for (const { row } of rows)
      this.metrics.question(name, row.status, row.status === 'failed' ? null : row.confidence);
    this.#rows.push(...rows.filter(({ logits }) => logits !== null));
    if (this.#rows.length < WINDOW_ROWS) return;
    const notes = windowNotes(artefact, this.#rows);
    this.metrics.window(name, notes.length > 0);
    for (const note of notes) this.onWarning(`${name}: the last ${this.#rows.length} questions: ${note}`);
    this.#rows = [];
  }
}
