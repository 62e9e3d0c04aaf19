import { z } from 'zod';

/** How a run drew its splits, measured its ECE and resampled: all that a number of it depends on beside the scores. */
export const protocolSchema = z.object({
  seeds: z.array(z.int()),
  calibrationFraction: z.number(),
  splitGenerator: z.string(),
  bins: z.int(),
  binEdges: z.enum(['equal-width', 'equal-mass']).default('equal-width'),
  edgeRule: z.enum(['left-owned', 'right-owned']).default('left-owned'),
  eceRule: z.string(),
  methods: z.array(z.string()),
  /** Whether an example that some model lacks counts for no method, or for those that need no such model. */
  examples: z.enum(['common', 'per-method']).default('common'),
  /** Where some run on one data set only: those of each data set. */
  methodsByDataset: z.record(z.string(), z.array(z.string())).default({}),
  /** Files that methods of one's own came from, as named on the command line. */
  methodFiles: z.array(z.object({ file: z.string(), sha256: z.string(), methods: z.array(z.string()) })).default([]),
  /** Resamples per data set (0: left out), level and generator of the intervals and comparisons. */
  bootstrap: z
    .object({ resamples: z.record(z.string(), z.int()), level: z.number(), rule: z.string(), generator: z.string() })
    .nullable()
    .default(null),
});

export type Protocol = z.infer<typeof protocolSchema>;
