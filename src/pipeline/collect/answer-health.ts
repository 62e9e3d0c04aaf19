import { placeShares } from '../../calibration/answers/place-shares.js';
import { argmax } from '../../numeric/argmax.js';
import type { Results } from '../../results/results-schema.js';
import { rotationSection } from '../asking/rotation-section.js';
import type { AskedDataset, JoinedScores } from '../asking/way-of-asking.js';
import type { DatasetScores, ModelScores } from '../join/dataset-scores.js';
import { type AnswerCounts, answerCounts } from './measure-model.js';
import { replyHabits } from './reply-habits.js';

export type HealthFinding = NonNullable<Results['health']>[number];

/** Fewer answers say nothing of a habit. */
const LEAST_ANSWERS = 20;
/**
 * One option in more than this share of the answers, this much above its share of the labels: the question is ignored.
 */
const ONE_ANSWER = { share: 0.9, aboveLabels: 0.25 };
/** One place with so much more than its share of the answers in all orders of the options: the place decides. */
const ONE_PLACE = 0.25;

/**
 * What makes the numbers of a model on a data set mean little although they can be computed: one line a model and
 * matter, under the limits above, which each line states.
 */
export function answerHealth(
  { dataset, models, labels }: DatasetScores,
  asked: AskedDataset['asked'],
  lettersShown: boolean,
  answersOf: (scores: ModelScores) => AnswerCounts = (each) => answerCounts({ ...each, labels }),
): HealthFinding[] {
  const places = asked.flatMap(({ way, targets }) =>
    way.section !== rotationSection
      ? []
      : [...targets].flatMap(([model, joined]) => placeHabit(joined).map((what) => ({ model, what }))),
  );
  const replies = asked.flatMap(({ way, targets }) =>
    [...targets].flatMap(([model, { table }]) =>
      table.replies === undefined
        ? []
        : replyHabits(table.replies).map((what) => ({ model, what: `${what} (${way.name})`, way: way.name })),
    ),
  );
  // That a model answers one letter is no second matter where its answers follow a place.
  const placed = new Set(places.map(({ model }) => model));
  const scored = [...models.values()].flatMap((each) =>
    placed.has(each.model) ? [] : oneAnswer(each.model, answersOf(each), lettersShown),
  );
  return [...scored, ...places, ...replies].map((each) => ({ dataset, ...each }));
}

function oneAnswer(model: string, { answers, right, totals }: AnswerCounts, lettersShown: boolean) {
  const [answered = 0, labelled = 0, optionCount = 0] = totals;
  const most = answers.reduce((top, count, k) => (count > (answers[top] ?? 0) ? k : top), answers.findIndex(Boolean));
  const count = answers[most] ?? 0;
  const share = labelled === 0 ? answered / optionCount : (right[most] ?? 0) / labelled;
  const habit = count > ONE_ANSWER.share * answered && count / answered - share > ONE_ANSWER.aboveLabels;
  if (answered < LEAST_ANSWERS || !habit) return [];
  const option = lettersShown && most < 26 ? String.fromCharCode(65 + most) : `option ${most + 1}`;
  const expected = labelled === 0 ? '' : `, where ${percent(share)} of the labels are`;
  const limit = `limits: over ${percent(ONE_ANSWER.share)}, and ${100 * ONE_ANSWER.aboveLabels} points above the labels`;
  return [{ model, what: `answers ${option} in ${count} of ${answered} examples${expected} (${limit})` }];
}

/** A place that draws answers whatever option stands there. */
function placeHabit({ table, rowOfExample }: JoinedScores): string[] {
  const rows = rowOfExample ?? table.ids.map((_, row) => (table.status[row] === 1 ? row : -1));
  const found = placeShares(
    table.logits,
    [...rows].filter((row) => row !== -1),
  );
  if (found === null || found.examples < LEAST_ANSWERS) return [];
  const { shares, expected, answers, examples, kept } = found;
  const above = shares.map((share, place) => share - (expected[place] ?? 0));
  const place = argmax(above);
  if ((above[place] ?? 0) <= ONE_PLACE) return [];
  const [share = 0, even = 0] = [shares[place], expected[place]];
  return [
    `answers what stands in place ${place + 1} in ${percent(share)} of ${answers} orders of the options, where ` +
      `${percent(even)} are expected; ${percent(kept)} of ${examples} examples keep their answer in every order ` +
      `(limit: ${100 * ONE_PLACE} points above what is expected)`,
  ];
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`;
}

/** Examples whose two best options lie no further apart than `gap`: a difference of that size could flip the answer. */
export function nearTies({ logits, rowOfExample }: ModelScores, gap: number): number {
  let count = 0;
  for (const [i, row] of rowOfExample.entries()) {
    if (row === -1) continue;
    const [first = 0, second = 0] = Array.from(logits.values.subarray(logits.offsets[i], logits.offsets[i + 1])).sort(
      (a, b) => b - a,
    );
    if (first - second <= gap) count++;
  }
  return count;
}
