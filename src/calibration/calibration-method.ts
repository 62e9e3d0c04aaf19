/**
 * What a label-free weighting may look at for example n of the calibration split. There are no labels in it.
 * Every list is indexed by example.
 */
export interface UnlabelledSplit {
  /** 1 where target and own base predict different options (D), 0 where they agree (A). */
  readonly disagreement: Uint8Array;
  /** u^(o) of Eq. (relsupport) by the own base; only the rows of D are filled. */
  readonly ownBaseSupport: Float64Array;
  /** c_n(S*) of Eq. (corroboration) for example n of D; 1 when nothing was selected. */
  readonly corroboration: (n: number) => number;
  /** ln u^(o) and ln c of example n of D: finite where the values above underflow. */
  readonly logOwnBaseSupport: (n: number) => number;
  readonly logCorroboration: (n: number) => number;
  /**
   * K logits of example n, for weights by other things than support: a copy of each. The target's are less their
   * maximum.
   */
  readonly targetLogits: (n: number) => Float64Array;
  readonly ownBaseLogits: (n: number) => Float64Array;
}

/** What the bases say about the accuracy of the target on a calibration split; no labels in it. */
export interface AccuracyEvidence {
  /** 1 - mean confidence of the own base: its error rate, if it is calibrated. */
  readonly ownBaseDoubt: () => number;
  /** How much more often than its base the target is right, by the references' probabilities. */
  readonly expectedGain: () => number;
}

/** A temperature that is not fitted. */
export interface FixedTemperature {
  readonly name: string;
  readonly needs: 'nothing';
  readonly temperature: number;
}

/** KL fit to the own base with label-free weights; `references` runs once per combination size M. */
export interface WeightingMethod {
  readonly name: string;
  readonly needs: 'own-base' | 'references';
  /** w_n, 0 or more; an example of weight 0 takes no part. */
  readonly weight: (split: UnlabelledSplit, n: number) => number;
  /** `weight` of many examples in one loop, for the methods of the table alone; default: a call for each. */
  readonly weights?: (split: UnlabelledSplit, indexes: Int32Array) => Float64Array;
  /** ln w_n, read only where weights, or what they multiply, underflow; default: the logarithm of `weight`. */
  readonly logWeight?: (split: UnlabelledSplit, n: number) => number;
}

/**
 * Temperature at which the mean confidence is a label-free estimate of the target's accuracy. `pool` asks every
 * reference of the pool, whatever M.
 */
export interface AccuracyMethod {
  readonly name: string;
  readonly needs: 'own-base' | 'pool';
  /** Not of the paper; judged in bench/study/README.md. */
  readonly experimental?: true;
  /** Works without a reference too: the gain is then taken to be 0. */
  readonly poolOptional?: true;
  /** 1 - the estimate. */
  readonly doubt: (evidence: AccuracyEvidence) => number;
}

/** Fit to the labels of the calibration split with unit weights: what labels give, and no bound of ECE. */
export interface LabelledFit {
  readonly name: string;
  readonly needs: 'labels';
  /** Labels move the temperature of this method as far as their number allows; absent: they alone decide. */
  readonly prior?: AccuracyMethod;
}

/** How one temperature per split is found. */
export type CalibrationMethod = FixedTemperature | WeightingMethod | AccuracyMethod | LabelledFit;
