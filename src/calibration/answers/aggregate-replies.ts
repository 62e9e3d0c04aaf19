/** A prediction that is none: the example is left out. */
export const NO_ANSWER = -1;

/** What a model replied to N examples: per example one answer and one confidence for each of its samples. */
export interface SampledReplies {
  /** Option of every sample; -1: the reply names none. */
  readonly answers: readonly Int32Array[];
  /** Stated confidence of every sample in [0, 1]; not read where the answer is -1. */
  readonly confidences: readonly Float64Array[];
}

export type Aggregator = 'avg-conf' | 'consistency';

/** N predictions, -1 where no sample has an answer, and their confidences in [0, 1] (0 where there is none). */
export interface AggregatedReplies {
  readonly predictions: Int32Array;
  readonly confidences: Float64Array;
}

/**
 * One answer and one confidence per example out of its samples (Xiong et al. 2024, arXiv:2306.13063). Samples without
 * an answer take no part. With c_s the confidence and a_s the answer of sample s:
 *
 *   avg-conf:     answer = argmax_k sum over a_s = k of c_s;  confidence = that sum / sum over all s of c_s
 *   consistency:  answer = argmax_k number of a_s = k;        confidence = that number / number of answers
 *
 * Ties go to the answer with more votes (avg-conf) or the larger confidence sum (consistency), then to the lowest
 * index. Where every stated confidence is 0, avg-conf takes the votes' answer with confidence 0, as every sample said.
 *
 * Confidences are added in whole units of 1e-12: stated ones are decimals, whose sums tie exactly (70 % and 10 % with
 * 80 %) in any order, where sums of float64 fractions would not.
 */
export function aggregateReplies({ answers, confidences }: SampledReplies, aggregator: Aggregator): AggregatedReplies {
  const found = answers.map((samples, n) => aggregate(samples, confidences[n]!, aggregator));
  return {
    predictions: Int32Array.from(found, ({ answer }) => answer),
    confidences: Float64Array.from(found, ({ confidence }) => confidence),
  };
}

/** The stated answer and confidence of the first sample of every example (verbalised confidence, Tian et al. 2023). */
export function firstReplies({ answers, confidences }: SampledReplies): AggregatedReplies {
  return {
    predictions: Int32Array.from(answers, (samples) => samples[0] ?? NO_ANSWER),
    confidences: Float64Array.from(answers, (samples, n) =>
      (samples[0] ?? NO_ANSWER) === NO_ANSWER ? 0 : (confidences[n]?.[0] ?? 0),
    ),
  };
}

const UNITS = 1e12;

function aggregate(answers: Int32Array, stated: Float64Array, aggregator: Aggregator) {
  const tally = new Map<number, { votes: number; sum: number }>();
  let [votes, sum] = [0, 0];
  for (const [s, given] of answers.entries()) {
    if (given === NO_ANSWER) continue;
    const own = tally.get(given) ?? { votes: 0, sum: 0 };
    const units = Math.round(stated[s]! * UNITS);
    tally.set(given, { votes: own.votes + 1, sum: own.sum + units });
    votes += 1;
    sum += units;
  }
  const by = aggregator === 'avg-conf' ? (['sum', 'votes'] as const) : (['votes', 'sum'] as const);
  const ranked = [...tally].sort(([a, x], [b, y]) => y[by[0]] - x[by[0]] || y[by[1]] - x[by[1]] || a - b);
  const [winner] = ranked;
  if (winner === undefined) return { answer: NO_ANSWER, confidence: 0 };
  const [answer, own] = winner;
  return { answer, confidence: aggregator === 'consistency' ? own.votes / votes : sum === 0 ? 0 : own.sum / sum };
}
