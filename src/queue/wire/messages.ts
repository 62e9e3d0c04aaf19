import { z } from 'zod';
import { modelSchema } from '../../config/models-schema.js';
import { DEVICES } from '../../contract/device.js';

/** No text of a message is longer: what is more came from nobody of ours. */
const text = z.string().max(16 * 2 ** 20);
const name = z.string().min(1).max(500);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** `hf:owner/name@commit/file.gguf`; null: a file that only the dispatcher's machine has a name for. */
const hub = z.string().startsWith('hf:').max(1000).nullable();

const versions = z.object({ tool: name, llamaCpp: name, nodeLlamaCpp: name, protocol: z.int() });

/** A dispatcher that is at work. */
export const runSchema = z.object({
  run: name,
  versions,
  device: z.enum(DEVICES),
  /** Name of the queue that takes the rows. */
  rows: name,
  /** Milliseconds: a range that its worker does not say for so long that it holds it goes to another. */
  holdMs: z.int().min(100).max(3_600_000),
});

/** A model of a run, with what a worker needs to find it and to know that it would compute the same numbers. */
export const ticketSchema = z.object({
  /** Name of the queue with its ranges. */
  queue: name,
  model: modelSchema.pick({ id: true, prompt: true, assistantPrefix: true, scoring: true }),
  sha256,
  bytes: z.number().nonnegative(),
  /** Rows that have not come back yet: what says, with the bytes, how much work is left. */
  rowsLeft: z.int().nonnegative(),
  hub,
  lora: z.array(z.object({ sha256, scale: z.number(), hub })).max(100),
  /** What the cache keeps the scores under, as far as it is the model's and the machine's. */
  identity: z.record(z.string(), z.unknown()),
});

/** A worker that is at work, or why it is not. */
export const presenceSchema = z.object({
  worker: name,
  versions,
  device: z.enum(DEVICES),
  /** Queue whose ranges it takes; null: none now. */
  serves: name.nullable(),
  /** Why it takes nothing from a queue, by name. */
  cannot: z.record(z.string(), z.string()),
});

const rotation = z.object({ text, continuations: z.array(text) });
const reply = z.object({
  example: text,
  sample: z.int(),
  seed: z.int(),
  temperature: z.number(),
  maxTokens: z.int(),
  form: z.object({ leads: z.array(text), parts: z.tuple([text, text, text]) }).nullable(),
  options: z.array(text),
});
const textScore = z.union([
  z.object({ normalize: z.enum(['sum', 'mean-token', 'per-char']) }),
  z.object({ normalize: z.literal('pmi'), pmiPrompt: text }),
]);
const prompt = z.object({
  id: text,
  text,
  mode: z.enum(['letter', 'text', 'rotations', 'reply']),
  continuations: z.array(text),
  reply: reply.exactOptional(),
  rotations: z.array(rotation).exactOptional(),
  textScore: textScore.exactOptional(),
  answerPrefix: text.nullable(),
});

/** A range of the rows of a model on a data set. */
export const rangeSchema = z.object({
  range: name,
  dataset: name,
  sharing: z.tuple([prompt, prompt]).nullable(),
  prompts: z.array(prompt).min(1),
});

const facts = z.object({
  architecture: text,
  backend: z.enum([...DEVICES, 'endpoint']),
  device: text,
  bos: z.boolean(),
  bosReason: text,
  chatTemplate: text.nullable(),
  contextSize: z.number(),
  sequences: z.number(),
  batchSize: z.number(),
  threads: z.number(),
  flashAttention: z.enum(['on', 'off']),
  warnings: z.array(text).readonly(),
  selfCheck: z
    .object({
      maxDifference: z.number(),
      tolerance: z.number(),
      compared: z.number().exactOptional(),
      flips: z.number().exactOptional(),
      keptTokens: z.number().exactOptional(),
    })
    .exactOptional(),
  firstOrder: z.literal('plain').exactOptional(),
});

/** Rows of a range that a worker scored: all of them, or a part where they are many bytes. */
export const chunkSchema = z.object({
  queue: name,
  range: name,
  worker: name,
  /** Hash of the identity that the worker computed under. */
  identity: sha256,
  facts,
  tokens: z.int().nonnegative(),
  /** As `writeRows` makes them; what is in them is checked against what was asked for. */
  rows: z.array(z.record(z.string(), z.unknown())).min(1),
});

export type RunNotice = z.infer<typeof runSchema>;
export type Ticket = z.infer<typeof ticketSchema>;
export type Presence = z.infer<typeof presenceSchema>;
export type RangePayload = z.infer<typeof rangeSchema>;
export type RowChunk = z.infer<typeof chunkSchema>;

/** A message as its schema has it; null when somebody else wrote it, or another version. */
export function readMessage<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> | null {
  const read = schema.safeParse(value);
  return read.success ? read.data : null;
}
