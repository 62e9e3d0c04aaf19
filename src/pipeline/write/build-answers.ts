import { isUsableLogit } from '../../numeric/logit-limits.js';
import { type RaggedRows, rowLength } from '../../numeric/ragged-rows.js';
import { shorten } from '../../report/text/plain-text.js';
import type { Answers, DatasetAnswers } from '../../results/examples/answers-schema.js';
import type { AskedDataset } from '../asking/way-of-asking.js';
import { shownFields } from './example-texts.js';

/** Characters of a field or option in answers.json. */
const TEXT_LIMIT = 600;

/** Questions of a data set, and answers of all its targets, beyond which questions are left out evenly. */
const MOST = { questions: 20_000, answers: 400_000 } as const;

/** A larger gap is no less than certain at any temperature that a fit finds. */
const LARGEST_GAP = 1e9;

/** The document of answers.json: the questions of each data set with the logits of the targets that were calibrated. */
export function buildAnswers(
  datasets: ReadonlyArray<{ readonly asked: AskedDataset; readonly targets: readonly string[] }>,
): Answers {
  return {
    schemaVersion: 1,
    textLimit: TEXT_LIMIT,
    datasets: datasets.map(({ asked, targets }) => answersOf(asked, targets)),
  };
}

function answersOf({ spec, examples, scores }: AskedDataset, targets: readonly string[]): DatasetAnswers {
  const { dataset, ids, labels } = scores;
  const most = Math.min(MOST.questions, Math.floor(MOST.answers / Math.max(1, targets.length)));
  const places = evenlySpaced(ids.length, Math.max(1, most));
  const fields = examples.length === 0 ? [] : shownFields(spec);
  return {
    dataset,
    of: ids.length,
    ids: places.map((n) => ids[n] ?? String(n)),
    fields: [...fields],
    texts: places.map((n) => fields.map((field) => shorten(examples[n]?.fields[field] ?? '', TEXT_LIMIT))),
    options: places.map((n) => examples[n]?.options.map((option) => shorten(option, TEXT_LIMIT)) ?? null),
    labels: places.map((n) => ((labels[n] ?? -1) === -1 ? null : (labels[n] ?? null))),
    targets: targets.map((target) => ({
      target,
      scores: places.map((n) => gapsOf(scores.models.get(target)?.logits, n)),
    })),
  };
}

/** As many places of a list as asked for, the first among them, all of them where there are no more. */
function evenlySpaced(length: number, most: number): number[] {
  const count = Math.min(length, most);
  return Array.from({ length: count }, (_, i) => Math.floor((i * length) / count));
}

function gapsOf(logits: RaggedRows | undefined, n: number): number[] | null {
  if (logits === undefined || rowLength(logits, n) === 0) return null;
  const { offsets, values } = logits;
  const [start, end] = [offsets[n]!, offsets[n + 1]!];
  let top = Number.NEGATIVE_INFINITY;
  for (let k = start; k < end; k++) top = Math.max(top, values[k]!);
  if (!isUsableLogit(top)) return null;
  const gaps: number[] = [];
  for (let k = start; k < end; k++) gaps.push(Math.min(LARGEST_GAP, Math.round(1000 * (top - values[k]!))));
  return gaps;
}
