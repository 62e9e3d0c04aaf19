import { z } from 'zod';

/**
 * How new questions are read and put, so that a program with nothing but the artefact and the model file asks as the
 * fit did. The few-shot block and the framing of a chat are in `prompt.settings`.
 */
export const askingSchema = z.object({
  /**
   * Settings as in datasets/NAME.yaml (schemas/dataset.schema.json) without the source of its rows: `fields` with the
   * names of the fields that questions have, `decode`, the `prompt` in the one form that the target was asked in,
   * `scoring`, and what becomes of rows with an empty or repeated option. Checked when questions are read.
   */
  dataset: z.record(z.string(), z.unknown()),
  /** How the cells of csv and tsv files of questions are written; as in `source` of the YAML. */
  cells: z.object({
    delimiter: z.string().optional(),
    header: z.array(z.string()).optional(),
    quote: z.literal('none').optional(),
  }),
  /** What the target turned out to be when it was scored; null: its scores were imported. */
  frame: z
    .object({
      architecture: z.string(),
      /** Whether a start token stood before the prompt, and why. */
      bos: z.boolean(),
      bosReason: z.string(),
      /** sha256 of the chat template of the file; null: it has none. A raw prompt does not use it. */
      chatTemplateSha256: z.string().nullable(),
      /** Tokens that one sequence could hold; a longer question was not scored. */
      contextSize: z.int(),
    })
    .nullable(),
  /**
   * What is scored for each option right after the prompt: the token of its label in that place (" A" and "A" are two
   * tokens); null: the texts of the options are scored, or the vocabulary could not be read at export.
   */
  optionTokens: z.array(z.object({ label: z.string(), id: z.int().nonnegative(), text: z.string() })).nullable(),
});

export type Asking = z.infer<typeof askingSchema>;

/** `prompt.settings.fewShot`: the solved examples that stand before every question. */
export const shotsSchema = z.array(
  z.object({ fields: z.record(z.string(), z.string()), options: z.array(z.string()).min(2), label: z.int() }),
);
