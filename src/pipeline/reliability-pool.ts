import { eceOfBins } from '../metrics/bin-errors.js';
import type { Evaluation } from '../metrics/evaluate.js';
import type { ReliabilityBin } from '../metrics/reliability-bin.js';
import { poolBins } from '../metrics/reliability-bins.js';
import type { Diagnostics } from '../report/results-schema.js';

interface Diagram {
  readonly target: string;
  readonly method: string;
  readonly combinationSize: number | null;
  readonly samples: (readonly ReliabilityBin[])[];
}

/** Collects the reliability bins of all seeds, for one diagram per target and method. */
export class ReliabilityPool {
  readonly #diagrams = new Map<string, Diagram>();

  constructor(private readonly dataset: string) {}

  add(
    target: string,
    method: string,
    combinationSize: number | null,
    evaluation: Pick<Evaluation, 'bins'> | null,
  ): void {
    if (evaluation === null) return;
    const key = JSON.stringify([target, method, combinationSize]);
    const diagram = this.#diagrams.get(key) ?? { target, method, combinationSize, samples: [] };
    diagram.samples.push(evaluation.bins);
    this.#diagrams.set(key, diagram);
  }

  entries(): Diagnostics['reliability'] {
    return [...this.#diagrams.values()].map(({ samples, ...rest }) => {
      const bins = poolBins(samples);
      return { dataset: this.dataset, ...rest, ece: eceOfBins(bins), bins };
    });
  }
}
