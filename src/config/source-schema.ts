import { z } from 'zod';
import { FORMAT_NAMES } from '../formats/format-table.js';

/** Name of a field (column) in the source rows; `a.b` reaches into nested objects. */
export const fieldName = z.string().min(1);

/** JSON Schema: none of these keys is there. What a schema in code refines, an editor is told in `meta`. */
export function without(...keys: readonly string[]) {
  return { not: { anyOf: keys.map((key) => ({ required: [key] })) } };
}

/** How the cells of csv and tsv files are written. */
export const CSV_SETTINGS = {
  delimiter: z.string().length(1).optional().describe('Separator of a csv file; default "," (tsv: tab).'),
  header: z
    .array(fieldName)
    .min(2)
    .refine((names) => new Set(names).size === names.length, 'a name stands twice; columns need names of their own')
    .meta({ uniqueItems: true })
    .optional()
    .describe(
      'Names of the columns of csv and tsv files without a header line; a first line of just these names is one.',
    ),
  quote: z
    .literal('none')
    .optional()
    .describe('none: a double quote in a csv or tsv file is text like any other; default: it opens a quoted cell.'),
};

/** A step of dots alone would lead to another address of the hub. */
const HUB_NAME = /^(?!\.{1,2}(?:\/|$))[\w.-]+(?:\/(?!\.{1,2}$)[\w.-]+)?$/;
const HUB_REVISION = /^(?!(?:.*\/)?\.{1,2}(?:\/|$)).+$/;

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const filterSchema = z
  .strictObject({
    field: fieldName,
    equals: scalar.optional().describe('Keep rows whose field has this value (compared as text).'),
    in: z.array(scalar).min(1).optional().describe('Keep rows whose field has one of these values.'),
  })
  .refine(({ equals, in: list }) => (equals === undefined) !== (list === undefined), {
    message: 'give either `equals` (one value) or `in` (a list of values)',
  })
  .meta({ oneOf: [{ required: ['equals'] }, { required: ['in'] }] });

/** JSON Schema: what is for JSON files goes with no other format. */
const OF_JSON = { properties: { format: { const: 'json' } } };

/** `source:` of a data set: which files, and which of their rows. */
export const sourceSchema = z
  .strictObject({
    path: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe(
        'File with the rows, relative to this YAML file; or a list of files, or a pattern such as rows-*.jsonl.',
      ),
    files: z
      .union([z.record(z.string(), z.string()), z.array(z.string().min(1)).min(1)])
      .optional()
      .describe(
        'Paired text files: field name -> file; line n of each file makes row n. With `hub` also a list of its files.',
      ),
    hub: z
      .string()
      .regex(HUB_NAME, 'expected owner/name, as the address of the data set ends')
      .optional()
      .describe('Data set of the Hugging Face hub, owner/name; downloaded once.'),
    revision: z
      .string()
      .regex(HUB_REVISION, 'expected a branch, tag or commit; a revision has no step of dots alone')
      .optional()
      .describe('Branch, tag or commit of the hub data set; default main.'),
    config: z.string().min(1).optional().describe('Configuration (subset) of the hub data set.'),
    split: z.string().min(1).optional().describe('Split of the hub data set, such as test.'),
    format: z.enum(FORMAT_NAMES).optional().describe('Needed only when the file ending does not tell.'),
    rows: fieldName
      .optional()
      .describe('Field of a JSON file in which its rows are, such as data; a.b reaches deeper.'),
    layout: z
      .enum(['rows', 'columns', 'keyed'])
      .optional()
      .describe(
        'How a JSON file lays out its rows: rows (default) one after the other; columns: one list per field; ' +
          'keyed: under a key each, which becomes the field _key.',
      ),
    explode: z
      .union([fieldName, z.array(fieldName).min(1)])
      .optional()
      .describe(
        'Field with a list, each element of which makes a row of its own; or several whose lists go together. ' +
          'The number of the element becomes the field _part.',
      ),
    ...CSV_SETTINGS,
    filter: z
      .union([filterSchema, z.array(filterSchema).min(1)])
      .optional()
      .describe('Rows to keep; of several filters all must hold.'),
    limit: z.int().positive().optional().describe('Only the first rows (of those that the filter keeps).'),
    sample: z
      .strictObject({
        count: z.int().positive(),
        seed: z.int().nonnegative().describe('The same seed draws the same rows, whatever their order in the file.'),
      })
      .optional()
      .describe('Rows drawn at random.'),
  })
  .superRefine((source, context) => {
    const refuse = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
    const { path, files, hub } = source;
    if (path !== undefined && hub !== undefined) refuse('path', 'a source has either `path` or `hub`, not both');
    if (path !== undefined && files !== undefined)
      refuse('files', 'give either `path` (files of rows) or `files` (paired text files)');
    if (path === undefined && files === undefined && hub === undefined)
      context.addIssue({
        code: 'custom',
        message: 'give `path` (files of rows), `files` (paired text files) or `hub`',
      });
    if (Array.isArray(files) && hub === undefined)
      refuse('files', 'a list of files is for `hub`; for local files write `path: [...]`');
    if (hub === undefined)
      for (const key of ['revision', 'config', 'split'] as const)
        if (source[key] !== undefined) refuse(key, 'is for a `hub` source only');
    if (hub !== undefined && files === undefined && source.split === undefined)
      refuse('hub', 'say which rows: `split: test`, or `files: [...]`');
    for (const key of ['rows', 'layout'] as const)
      if (source[key] !== undefined && source.format !== undefined && source.format !== 'json')
        refuse(key, 'is for JSON files; write `format: json`, or leave it out');
    if (files !== undefined && source.split !== undefined) refuse('split', 'give either `split` or `files`, not both');
  })
  .meta({
    dependentSchemas: { rows: OF_JSON, layout: OF_JSON },
    oneOf: [
      { required: ['path'], ...without('files', 'hub', 'revision', 'config', 'split') },
      {
        required: ['files'],
        properties: { files: { type: 'object' } },
        ...without('path', 'hub', 'revision', 'config', 'split'),
      },
      { required: ['hub'], oneOf: [{ required: ['split'] }, { required: ['files'] }], ...without('path') },
    ],
  });

export type DatasetSourceYaml = z.infer<typeof sourceSchema>;
export type FilterYaml = z.infer<typeof filterSchema>;
