import { argmax } from '../../numeric/argmax.js';
import { type RaggedRows, rowOf } from '../../numeric/ragged-rows.js';
import { softmax } from '../../numeric/softmax.js';
import { predictions } from '../predictions.js';
import {
  type AggregatedReplies,
  type Aggregator,
  aggregateReplies,
  firstReplies,
  type SampledReplies,
} from './aggregate-replies.js';
import { averageProbabilities } from './average-probabilities.js';
import { averageRotations } from './average-rotations.js';
import { rotationVotes } from './rotation-votes.js';

/** What an answer method may look at: N examples of one target. There are no labels in it. */
export interface AnswerInputs {
  readonly targetLogits: RaggedRows;
  readonly ownBaseLogits: RaggedRows;
  /** Row n: K x K logits, rotation by rotation, each in the original option order; null where none were scored. */
  readonly rotationLogits: RaggedRows | null;
  /** What the target wrote: greedily, and in samples; null where it was not asked. */
  readonly elicited?: SampledReplies | null;
  readonly elicitedSamples?: SampledReplies | null;
  /** Default: avg-conf. */
  readonly aggregator?: Aggregator;
  /** Row n: for each of K options the logits of "right" and "not right" after it was proposed; no numbers: not scored. */
  readonly truthLogits?: RaggedRows | null;
}

/** What a method answers to N examples, and how sure it is. */
export type Answers =
  /** Row n: ln of the K option probabilities. The prediction is the largest. */
  | { readonly kind: 'distribution'; readonly logProbs: RaggedRows }
  /**
   * N predicted options and their confidences in [0, 1]; of the other options nothing is known. NO_ANSWER: the example is
   * left out; NO_OPTION: what was answered is no option, and wrong.
   */
  | { readonly kind: 'confidences'; readonly predictions: Int32Array; readonly confidences: Float64Array };

/** Predictions that are no option. */
const NO_ANSWER = -1;
const NO_OPTION = -2;

/** A method that gives predictions and confidences of its own in place of a temperature. */
export interface AnswerMethod {
  readonly name: string;
  /** What the target is asked beside its plain prompts: under every cyclic order of the options, for replies, ... */
  readonly needs: 'own-base' | 'rotations' | 'elicitation' | 'elicitation-ensemble' | 'p-true';
  readonly answer: (inputs: AnswerInputs) => Answers;
  /** Calibration method whose temperature, fitted to the target's plain logits, is put on the distribution. */
  readonly temperatureOf?: string;
}

const cape = ({ rotationLogits }: AnswerInputs): Answers => ({
  kind: 'distribution',
  logProbs: averageRotations(rotationLogits!, 'probabilities'),
});

/** Every answer method by name; a new one is a new entry here. */
export const ANSWER_METHODS: readonly AnswerMethod[] = [
  // CAPE: Jiang et al. 2023, Calibrating Language Models via Augmented Prompt Ensembles (openreview L0dc4wqbNs); as in the
  // paper over the K cyclic orders of the options. Mean of the probabilities.
  { name: 'cape', needs: 'rotations', answer: cape },
  // The same with the mean of the log-probabilities, renormalised.
  {
    name: 'cape-log',
    needs: 'rotations',
    answer: ({ rotationLogits }) => ({
      kind: 'distribution',
      logProbs: averageRotations(rotationLogits!, 'log-probabilities'),
    }),
  },
  // Self-consistency, Wang et al. 2023 (arXiv:2203.11171), with the K orders in place of samples: share of the votes.
  {
    name: 'cape-consistency',
    needs: 'rotations',
    answer: ({ rotationLogits }) => ({ kind: 'confidences', ...rotationVotes(rotationLogits!) }),
  },
  // CAPE's distribution p at the temperature of another method: p^beta, renormalised.
  { name: 'cape+daca', needs: 'rotations', answer: cape, temperatureOf: 'daca' },
  { name: 'cape+supportcal', needs: 'rotations', answer: cape, temperatureOf: 'supportcal' },
  // Ensemble of two members by the mean of their probabilities, Lakshminarayanan et al. 2017 (arXiv:1612.01474).
  {
    name: 'own-base-average',
    needs: 'own-base',
    answer: ({ targetLogits, ownBaseLogits }) => ({
      kind: 'distribution',
      logProbs: averageProbabilities(targetLogits, ownBaseLogits),
    }),
  },
  // The target's prediction with the probability that its own base gives it: post-training hurts calibration, the
  // pretrained model has it still, OpenAI 2023 (arXiv:2303.08774, figure 8).
  {
    name: 'base-confidence',
    needs: 'own-base',
    answer: ({ targetLogits, ownBaseLogits }) => {
      const { indexes } = predictions(targetLogits);
      return { kind: 'confidences', predictions: indexes, confidences: probabilitiesOf(ownBaseLogits, indexes) };
    },
  },
  // The probability of "right" when the model is asked whether its own choice is: Kadavath et al. 2022 (arXiv:2207.05221).
  { name: 'p-true', needs: 'p-true', answer: probabilityOfTrue },
  // Verbalised confidence: Tian et al. 2023 (arXiv:2305.14975); of samples: Xiong et al. 2024 (arXiv:2306.13063).
  { name: 'elicitation', needs: 'elicitation', answer: ({ elicited }) => stated(firstReplies(elicited!)) },
  {
    name: 'elicitation-unparsed-wrong',
    needs: 'elicitation',
    answer: ({ elicited, targetLogits }) => unparsedWrong(firstReplies(elicited!), targetLogits),
  },
  {
    name: 'elicitation-ensemble',
    needs: 'elicitation-ensemble',
    answer: ({ elicitedSamples, aggregator = 'avg-conf' }) => stated(aggregateReplies(elicitedSamples!, aggregator)),
  },
  {
    name: 'elicitation-ensemble-unparsed-wrong',
    needs: 'elicitation-ensemble',
    answer: ({ elicitedSamples, aggregator = 'avg-conf', targetLogits }) =>
      unparsedWrong(aggregateReplies(elicitedSamples!, aggregator), targetLogits),
  },
];

function stated(replies: AggregatedReplies): Answers {
  return { kind: 'confidences', ...replies };
}

/** An example without an answer counts as wrong with confidence 1/K. */
function unparsedWrong({ predictions, confidences }: AggregatedReplies, logits: RaggedRows): Answers {
  const missing = (n: number) => predictions[n] === NO_ANSWER;
  return {
    kind: 'confidences',
    predictions: predictions.map((prediction, n) => (missing(n) ? NO_OPTION : prediction)),
    confidences: confidences.map((confidence, n) => (missing(n) ? 1 / rowOf(logits, n).length : confidence)),
  };
}

/** The target's own prediction; p = softmax over "right" and "not right" after it was proposed. */
function probabilityOfTrue({ targetLogits, truthLogits }: AnswerInputs): Answers {
  const { rowCount } = targetLogits;
  const predictions = new Int32Array(rowCount).fill(NO_ANSWER);
  const confidences = new Float64Array(rowCount);
  for (let n = 0; n < rowCount; n++) {
    const logits = rowOf(truthLogits!, n);
    if (logits.length === 0) continue;
    const choice = argmax(rowOf(targetLogits, n));
    predictions[n] = choice;
    confidences[n] = softmax(logits.subarray(2 * choice, 2 * choice + 2))[0]!;
  }
  return { kind: 'confidences', predictions, confidences };
}

/** softmax(row n)[options[n]] for every row. */
function probabilitiesOf(logits: RaggedRows, options: Int32Array): Float64Array {
  return Float64Array.from(options, (option, n) => softmax(rowOf(logits, n))[option]!);
}
