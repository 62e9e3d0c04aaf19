import { z } from 'zod';
import { combinationSizeOrNull, count, points } from './number-fields.js';

/**
 * What one method comes to where a server did not tell the log-probability of every option (`missing: bound`): between
 * what two numbers the means over the seeds lie, whatever the untold options have. The runs themselves take each untold
 * option at the largest value that it can have.
 */
export const untoldSchema = z.object({
  dataset: z.string(),
  target: z.string(),
  method: z.string(),
  combinationSize: combinationSizeOrNull,
  /** Examples of which the target or its own base has an untold option, of how many. */
  untold: count,
  examples: count,
  /** null: this method has no interval, since it uses the untold probabilities in another way. */
  range: z
    .object({
      temperatureLow: z.number().nonnegative(),
      /** null: there is no upper end. */
      temperatureHigh: z.number().positive().nullable(),
      /** Whether both ends are reached; false: the interval may be a little wide. */
      exact: z.boolean(),
      /** Bounds that hold for every value; null: not for bins of equal mass, or no labels. */
      ece: z.object({ lowPp: points, highPp: points }).nullable(),
    })
    .nullable(),
});

export type Untold = z.infer<typeof untoldSchema>;
