import { z } from 'zod';

/** Why an example is shown. Weights and contradictions are taken without labels, the errors need them. */
export const EXAMPLE_KINDS = [
  'largest-weight',
  'smallest-weight',
  'strongest-contradiction',
  'overconfident-error',
] as const;

/** p over the options of the example. */
const distribution = z.object({
  model: z.string(),
  role: z.enum(['target', 'own-base', 'reference']),
  /** What calibrated it; null: as the model is. */
  method: z.string().nullable(),
  combinationSize: z.int().nullable(),
  /** null: as the model is, or at tau -> infinity. */
  temperature: z.number().nullable(),
  probabilities: z.array(z.number()),
});

const shownExample = z.object({
  dataset: z.string(),
  target: z.string(),
  kind: z.enum(EXAMPLE_KINDS),
  /** 1 is the first one to look at. */
  rank: z.int(),
  id: z.string(),
  /** The fields that the prompt shows, cut to `textLimit` characters; empty when the rows have no content (imports). */
  text: z.array(z.object({ field: z.string(), value: z.string() })),
  options: z.array(z.string()).nullable(),
  /** 0-based; null: unlabelled. */
  label: z.int().nullable(),
  prediction: z.int(),
  ownBasePrediction: z.int(),
  /** w_n of the method named in `weights`; null on the evaluation split. */
  weight: z.number().nullable(),
  /** u_n^(o), Eq. (relsupport). */
  ownBaseSupport: z.number(),
  distributions: z.array(distribution),
});

/** examples.json: a few examples per target that show what the weights do and where confidence goes wrong. */
export const examplesSchema = z.object({
  schemaVersion: z.literal(1),
  /** The split that the examples were taken from. */
  seed: z.int(),
  /** Method behind the weights; null when none of the run has weights. */
  weights: z.object({ method: z.string(), combinationSize: z.int().nullable() }).nullable(),
  textLimit: z.int(),
  examples: z.array(shownExample),
});

export type Examples = z.infer<typeof examplesSchema>;
export type ShownExample = Examples['examples'][number];
