import { z } from 'zod';

/** Mean and standard error of an ECE, in percentage points. */
const printed = z.tuple([z.number().nonnegative(), z.number().nonnegative()]);

/** Mean and median of a weight. */
const weightPair = z.tuple([z.number().min(0).max(1), z.number().min(0).max(1)]);

/** A YAML file of printed results: tables of ECE per target and method, and numbers of the diagnostics. */
export const publishedSchema = z.strictObject({
  title: z.string().min(1).describe('Where the numbers are from.'),
  tables: z
    .array(
      z
        .strictObject({
          name: z.string().min(1),
          dataset: z.string().min(1).describe('Id of the data set.'),
          columns: z
            .array(
              z.string().regex(/^\S+( [1-9]\d*)?$/, 'expected a method, or a method and M, such as `supportcal 2`'),
            )
            .min(1)
            .describe('Methods; M after the name.'),
          rows: z
            .record(z.string(), z.array(printed.nullable()))
            .describe('Target -> [mean, standard error] per column.'),
          macro: z.array(z.number().nonnegative()).optional().describe('Macro average per column, as printed.'),
        })
        .superRefine(({ columns, rows, macro }, context) => {
          const check = (cells: readonly unknown[], path: string[]) => {
            if (cells.length === columns.length) return;
            const message = `${cells.length} numbers for ${columns.length} columns`;
            context.addIssue({ code: 'custom', path, message });
          };
          for (const [target, cells] of Object.entries(rows)) check(cells, ['rows', target]);
          if (macro !== undefined) check(macro, ['macro']);
        }),
    )
    .min(1),
  diagnostics: z
    .array(
      z.strictObject({
        dataset: z.string().min(1).describe('Id of the data set.'),
        disagreementMedianPercent: z
          .number()
          .min(0)
          .max(100)
          .optional()
          .describe('Median over targets of the share of examples on which target and own base differ.'),
        weights: z
          .strictObject({ negative: weightPair, positive: weightPair })
          .optional()
          .describe('SupportCal weights on disagreement by the sign of the boundary margin: [mean, median].'),
      }),
    )
    .default([]),
});

export type PublishedFile = z.infer<typeof publishedSchema>;
export type PublishedTable = PublishedFile['tables'][number];
