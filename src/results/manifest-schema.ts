import { z } from 'zod';

/** The part of a cache entry's facts that a page shows; an import has others. */
const facts = z
  .looseObject({
    backend: z.string().optional(),
    device: z.string().optional(),
    bos: z.boolean().optional(),
    contextSize: z.number().optional(),
    flashAttention: z.string().optional(),
  })
  .nullable()
  .optional()
  .catch(null);

/** The part of manifest.json that reports show. Fields that manifests of earlier versions lack are optional. */
export const manifestSchema = z.object({
  schemaVersion: z.literal(1),
  createdAt: z.string(),
  /** `documentHash` of the other files of the run, by name: what is not of this hash is of another run. */
  documents: z.record(z.string(), z.string()).optional(),
  /** The arguments of the command line, `supportcal` itself left out; null when the library was called. */
  command: z.array(z.string()).nullable().optional(),
  system: z.object({ node: z.string(), platform: z.string() }).optional(),
  run: z
    .object({
      stages: z.array(z.object({ stage: z.string(), seconds: z.number() })),
      rows: z.object({ toScore: z.int(), cached: z.int() }).nullable(),
      models: z.array(z.object({ model: z.string(), rows: z.int(), tokens: z.number(), seconds: z.number() })),
    })
    .optional(),
  backendReason: z.string().nullish().catch(null),
  methodFiles: z.array(z.object({ file: z.string(), sha256: z.string(), methods: z.array(z.string()) })).optional(),
  modelsFile: z.object({ file: z.string(), sha256: z.string() }).optional(),
  datasets: z.array(
    z.object({
      dataset: z.string(),
      file: z.string(),
      sha256: z.string(),
      rows: z.int().nullable(),
      contentHash: z.string().nullable(),
      rules: z.array(z.string()),
      origin: z.array(z.string()).optional(),
      fewShot: z.array(z.unknown()).optional(),
    }),
  ),
  models: z.array(
    z.object({
      model: z.string(),
      file: z.string().nullable(),
      sha256: z.string().nullable(),
      /** When it was last scored, in whichever run. */
      speed: z.object({ tokens: z.number(), seconds: z.number(), at: z.string() }).nullable().optional(),
      origin: z.string().nullish(),
      lora: z.array(z.unknown()).optional(),
      scores: z.array(
        z.object({
          dataset: z.string(),
          /** How the model was asked: plain, rotations, ... */
          prompts: z.string().optional(),
          entry: z.string().nullable(),
          checksum: z.string().optional(),
          /** What the scores are found by in the cache: everything that can change them. */
          key: z.record(z.string(), z.unknown()).optional(),
          facts,
        }),
      ),
    }),
  ),
});

export type RunManifest = z.infer<typeof manifestSchema>;
