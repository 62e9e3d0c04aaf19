import { type WeightedMargins, weightsByPercentile, weightsBySign } from '../../calibration/curves/weight-margin.js';
import type { Diagnostics } from '../../results/diagnostics-schema.js';

/** Collects the weights and margins of D of every target, M and seed of a data set. */
export class MarginPool {
  /** By M, then by target. */
  readonly #samples = new Map<number, Map<string, WeightedMargins[]>>();

  constructor(private readonly dataset: string) {}

  add(target: string, combinationSize: number, sample: WeightedMargins): void {
    const ofSize = this.#samples.get(combinationSize) ?? new Map<string, WeightedMargins[]>();
    ofSize.set(target, [...(ofSize.get(target) ?? []), sample]);
    this.#samples.set(combinationSize, ofSize);
  }

  /** All targets pooled (target null), then each. */
  lists(): Required<Pick<Diagnostics, 'weightByMargin' | 'weightBySign'>> {
    const groups = [...this.#samples].flatMap(([combinationSize, ofSize]) => [
      { target: null, combinationSize, samples: [...ofSize.values()].flat() },
      ...[...ofSize].map(([target, samples]) => ({ target, combinationSize, samples })),
    ]);
    return {
      weightByMargin: groups.map(({ samples, ...rest }) => ({
        dataset: this.dataset,
        ...rest,
        bins: weightsByPercentile(samples),
      })),
      weightBySign: groups.flatMap(({ samples, ...rest }) =>
        weightsBySign(samples).map((row) => ({ dataset: this.dataset, ...rest, ...row })),
      ),
    };
  }
}
