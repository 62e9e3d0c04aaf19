import type { ReplyColumns } from '../../cache/table/reply-columns.js';
import { median } from '../../numeric/quantile.js';

/** Fewer replies say nothing of a habit. */
const LEAST_REPLIES = 20;
/** One number in more than this share of the stated confidences: the number says nothing of the answer. */
const ONE_CONFIDENCE = 0.8;
/** A standard deviation of fewer points: the numbers hardly differ. */
const LEAST_SPREAD = 3;
/** Fewer replies than this share that can be read: what was read is a selection. */
const LEAST_READ = 0.5;
/** A smaller median probability of what the form allows: the form writes the reply, not the model. */
const LEAST_ALLOWED = 0.5;
/** A reply below this probability of what is allowed would hardly ever come freely. */
const HARDLY = 0.1;

/** What makes replies mean little, one line a matter, each with its limit. */
export function replyHabits({ verdicts, confidences, allowedMasses }: ReplyColumns): string[] {
  if (verdicts.length < LEAST_REPLIES) return [];
  const stated = confidences.filter((_, row) => verdicts[row] === 'parsed');
  return [
    ...(stated.length < LEAST_READ * verdicts.length
      ? [`only ${stated.length} of ${verdicts.length} replies could be read (limit: half)`]
      : []),
    ...(stated.length < LEAST_REPLIES ? [] : confidenceHabit(stated)),
    ...allowedHabit(allowedMasses.filter((mass) => !Number.isNaN(mass))),
  ];
}

/** One number, or numbers that lie close together. */
function confidenceHabit(stated: Float64Array): string[] {
  const counts = new Map<number, number>();
  for (const confidence of stated) counts.set(confidence, (counts.get(confidence) ?? 0) + 1);
  const [mode = Number.NaN, count = 0] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
  const values = `${counts.size} ${counts.size === 1 ? 'value' : 'values'} in all`;
  if (count > ONE_CONFIDENCE * stated.length) {
    const limit = `limit: ${100 * ONE_CONFIDENCE} %`;
    return [`states ${mode} as its confidence in ${count} of ${stated.length} replies, ${values} (${limit})`];
  }
  const spread = standardDeviation(stated);
  if (spread >= LEAST_SPREAD) return [];
  const limit = `limit of the standard deviation: ${LEAST_SPREAD} points`;
  return [
    `states confidences that hardly differ: ${values}, a standard deviation of ${spread.toPrecision(2)} (${limit})`,
  ];
}

function allowedHabit(masses: Float64Array): string[] {
  const middle = masses.length < LEAST_REPLIES ? null : median([...masses]);
  if (middle === null || middle >= LEAST_ALLOWED) return [];
  const rare = masses.filter((mass) => mass < HARDLY).length;
  return [
    `gives the replies that their form allows a median probability of ${middle.toPrecision(2)}, in ${rare} of ` +
      `${masses.length} replies under ${HARDLY}: the form writes them rather than the model (limit: ${LEAST_ALLOWED})`,
  ];
}

function standardDeviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}
