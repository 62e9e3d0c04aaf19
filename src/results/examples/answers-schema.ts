import { z } from 'zod';

/**
 * What every target says of every option: thousandths of a nat by which its logit lies below the largest of the
 * question. softmax(-x / 1000 / tau) is the confidence at temperature tau. null: the target has no usable scores.
 */
const scores = z.array(z.int().nonnegative()).nullable();

/** Everything that can be read of the questions of one data set; lists of one length, a question a place. */
const datasetAnswers = z.object({
  dataset: z.string(),
  /** Questions of the data set; where that is more than are listed, those here are evenly spaced among them. */
  of: z.int().nonnegative(),
  ids: z.array(z.string()),
  /** The fields that the prompt shows; none when the rows have no content (imports). */
  fields: z.array(z.string()),
  /** Their texts, cut to `textLimit` characters. */
  texts: z.array(z.array(z.string())),
  options: z.array(z.array(z.string()).nullable()),
  /** 0-based; null: unlabelled. */
  labels: z.array(z.int().nullable()),
  targets: z.array(z.object({ target: z.string(), scores: z.array(scores) })),
});

/** answers.json: every question with every target's answer to it, to be looked through. */
export const answersSchema = z.object({
  schemaVersion: z.literal(1),
  textLimit: z.int(),
  datasets: z.array(datasetAnswers),
});

export type Answers = z.infer<typeof answersSchema>;
export type DatasetAnswers = Answers['datasets'][number];
