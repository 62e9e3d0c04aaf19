import { normalDraws, uniformDraw } from '../../inference/law/normal-draws.js';
import { ece } from '../../metrics/ece.js';
import { argmax } from '../../numeric/argmax.js';
import { sampleStandardDeviation } from '../../numeric/mean.js';
import { rowOf } from '../../numeric/ragged-rows.js';
import { type SeededGenerator, seededGenerator } from '../../numeric/random/seeded-generator.js';
import { softmax } from '../../numeric/softmax.js';
import type { ModelScores } from '../join/dataset-scores.js';

/** What differences between a prompt alone and in a batch move, were they drawn anew in every option of every row. */
export interface BatchNoise {
  /** Answers that become other ones, on average over the draws. */
  readonly flips: number;
  /**
   * Change of the ECE without calibration (root of the mean square over the draws) and the standard error of that ECE
   * over resamples of the examples, fractions; null: no example has a label.
   */
  readonly ece: { readonly moved: number; readonly se: number } | null;
}

const DRAWS = 10;
const RESAMPLES = 50;

/**
 * Adds N(0, (difference / 2)^2) to every option logit: the largest of the twenty or so that a self-check compares lies
 * some two standard deviations out.
 */
export function batchNoise({ logits, rowOfExample }: ModelScores, labels: Int32Array, difference: number): BatchNoise {
  const rows = [...rowOfExample.keys()].filter((i) => rowOfExample[i] !== -1);
  const generator = seededGenerator(0);
  const plain = rows.map((i) => answerOf(rowOf(logits, i)));
  const labelled = [...rows.keys()].filter((n) => (labels[rows[n] ?? -1] ?? -1) !== -1);
  const eceOf = (answers: readonly Answer[], chosen: readonly number[]) =>
    ece(
      chosen.map((n) => answers[n]?.confidence ?? 0),
      chosen.map((n) => answers[n]?.option === labels[rows[n] ?? -1]),
    );
  const before = labelled.length === 0 ? 0 : eceOf(plain, labelled);
  let flips = 0;
  let squares = 0;
  for (let draw = 0; draw < DRAWS; draw++) {
    const moved = rows.map((i) => {
      const row = rowOf(logits, i);
      const noise = normalDraws(generator, row.length);
      return answerOf(Float64Array.from(row, (logit, k) => logit + (noise[k]! * difference) / 2));
    });
    flips += moved.filter(({ option }, n) => option !== plain[n]?.option).length;
    if (labelled.length > 0) squares += (eceOf(moved, labelled) - before) ** 2;
  }
  if (labelled.length === 0) return { flips: flips / DRAWS, ece: null };
  const resampled = Array.from({ length: RESAMPLES }, () => eceOf(plain, resample(labelled, generator)));
  const se = sampleStandardDeviation(resampled) ?? 0;
  return { flips: flips / DRAWS, ece: { moved: Math.sqrt(squares / DRAWS), se } };
}

interface Answer {
  readonly option: number;
  readonly confidence: number;
}

function answerOf(logits: ArrayLike<number>): Answer {
  const option = argmax(logits);
  return { option, confidence: softmax(logits)[option] ?? 0 };
}

function resample(from: readonly number[], generator: SeededGenerator): number[] {
  return from.map(() => from[Math.floor(uniformDraw(generator) * from.length)]!);
}
