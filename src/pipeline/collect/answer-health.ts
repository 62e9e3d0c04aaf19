import type { ReplyColumns } from '../../cache/table/reply-columns.js';
import { argmax } from '../../numeric/argmax.js';
import type { Results } from '../../results/results-schema.js';
import type { AskedDataset } from '../asking/way-of-asking.js';
import type { DatasetScores, ModelScores } from '../join/dataset-scores.js';

export type HealthFinding = NonNullable<Results['health']>[number];

/** Fewer answers say nothing of a habit. */
const LEAST_ANSWERS = 20;
/**
 * One option in more than this share of the answers, this much above its share of the labels: the question is ignored.
 */
const ONE_ANSWER = { share: 0.9, aboveLabels: 0.25 };
/** One number in more than this share of the stated confidences: the number says nothing of the answer. */
const ONE_CONFIDENCE = 0.8;
/** Fewer replies than this share that can be read: what was read is a selection. */
const LEAST_READ = 0.5;

/**
 * What makes the numbers of a model on a data set mean little although they can be computed: one line a model and
 * matter, under the limits above, which each line states.
 */
export function answerHealth(
  { dataset, models, labels }: DatasetScores,
  asked: AskedDataset['asked'],
  lettersShown: boolean,
): HealthFinding[] {
  const scored = [...models.values()].flatMap((each) => oneAnswer(each, labels, lettersShown));
  const replied = asked.flatMap(({ way, targets }) =>
    [...targets].flatMap(([model, { table }]) =>
      table.replies === undefined
        ? []
        : replyHabits(table.replies).map((what) => ({ model, what: `${what} (${way.name})` })),
    ),
  );
  return [...scored, ...replied].map(({ model, what }) => ({ dataset, model, what }));
}

function oneAnswer({ model, logits, rowOfExample }: ModelScores, labels: Int32Array, lettersShown: boolean) {
  const [answers, right]: [number[], number[]] = [[], []];
  let [answered, labelled, options] = [0, 0, 0];
  for (let i = 0; i < rowOfExample.length; i++) {
    if (rowOfExample[i] === -1) continue;
    const start = logits.offsets[i]!;
    const end = logits.offsets[i + 1]!;
    const answer = argmax(logits.values, start, end);
    answers[answer] = (answers[answer] ?? 0) + 1;
    answered++;
    options += end - start;
    const label = labels[i] ?? -1;
    if (label === -1) continue;
    right[label] = (right[label] ?? 0) + 1;
    labelled++;
  }
  const most = answers.reduce((top, count, k) => (count > (answers[top] ?? 0) ? k : top), answers.findIndex(Boolean));
  const count = answers[most] ?? 0;
  const share = labelled === 0 ? answered / options : (right[most] ?? 0) / labelled;
  const habit = count > ONE_ANSWER.share * answered && count / answered - share > ONE_ANSWER.aboveLabels;
  if (answered < LEAST_ANSWERS || !habit) return [];
  const option = lettersShown && most < 26 ? String.fromCharCode(65 + most) : `option ${most + 1}`;
  const expected = labelled === 0 ? '' : `, where ${percent(share)} of the labels are`;
  const limit = `limits: over ${percent(ONE_ANSWER.share)}, and ${100 * ONE_ANSWER.aboveLabels} points above the labels`;
  return [{ model, what: `answers ${option} in ${count} of ${answered} examples${expected} (${limit})` }];
}

/** Habits of the replies of one target. */
function replyHabits({ verdicts, confidences }: ReplyColumns): string[] {
  if (verdicts.length < LEAST_ANSWERS) return [];
  const stated = Array.from(confidences).filter((_, row) => verdicts[row] === 'parsed');
  const counts = new Map<number, number>();
  for (const confidence of stated) counts.set(confidence, (counts.get(confidence) ?? 0) + 1);
  const [mode = Number.NaN, count = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  const read = `${stated.length} of ${verdicts.length} replies could be read (limit: half)`;
  const same = `states ${mode} as its confidence in ${count} of ${stated.length} replies, ${counts.size} values in all`;
  return [
    ...(stated.length < LEAST_READ * verdicts.length ? [`only ${read}`] : []),
    ...(stated.length >= LEAST_ANSWERS && count > ONE_CONFIDENCE * stated.length
      ? [`${same} (limit: ${percent(ONE_CONFIDENCE)})`]
      : []),
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
