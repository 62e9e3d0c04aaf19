import { z } from 'zod';

/** Name of a field (column) in the source rows; `a.b` reaches into nested objects. */
const fieldName = z.string().min(1);

const FORMATS = ['jsonl', 'json', 'csv', 'tsv', 'parquet', 'arrow', 'feather', 'text'] as const;

/** JSON Schema: none of these keys is there. What a schema in code refines, an editor is told in `meta`. */
function without(...keys: readonly string[]) {
  return { not: { anyOf: keys.map((key) => ({ required: [key] })) } };
}

/** How the cells of csv and tsv files are written. */
const CSV_SETTINGS = {
  delimiter: z.string().length(1).optional().describe('Separator of a csv file; default "," (tsv: tab).'),
  header: z
    .array(fieldName)
    .min(2)
    .optional()
    .describe(
      'Names of the columns of csv and tsv files without a header line; a first line of just these names is one.',
    ),
  quote: z
    .literal('none')
    .optional()
    .describe('none: a double quote in a csv or tsv file is text like any other; default: it opens a quoted cell.'),
};

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

const sourceSchema = z
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
      .regex(/^[\w.-]+(\/[\w.-]+)?$/, 'expected owner/name, as the address of the data set ends')
      .optional()
      .describe('Data set of the Hugging Face hub, owner/name; downloaded once.'),
    revision: z.string().min(1).optional().describe('Branch, tag or commit of the hub data set; default main.'),
    config: z.string().min(1).optional().describe('Configuration (subset) of the hub data set.'),
    split: z.string().min(1).optional().describe('Split of the hub data set, such as test.'),
    format: z.enum(FORMATS).optional().describe('Needed only when the file ending does not tell.'),
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
    if (files !== undefined && source.split !== undefined) refuse('split', 'give either `split` or `files`, not both');
  })
  .meta({
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

const labelBase = z.union([z.literal(0), z.literal(1), z.literal('detect')]);

const optionsSchema = z.union([
  fieldName.describe('Field that holds a list of option texts.'),
  z
    .strictObject({
      field: fieldName,
      extract: z
        .enum(['lettered'])
        .optional()
        .describe('lettered: the field is one text, "a ) 38 , b ) 27 , ..." or the same as a Python list (MathQA).'),
      separator: z.string().min(1).optional().describe('The field is one text with this between its options.'),
    })
    .meta({ not: { required: ['extract', 'separator'] } }),
  z.strictObject({ columns: z.array(fieldName).min(2).max(26).describe('One field per option, in order.') }),
  z.strictObject({ labels: z.array(z.string()).min(2).max(26).describe('The same options for every row.') }),
  z.strictObject({
    truth: fieldName.describe(
      'Field with an object from option text to 1 (true) or 0 (TruthfulQA); gives the label too.',
    ),
    seed: z.int().nonnegative().describe('Shuffles the options of each row, since the true one usually comes first.'),
  }),
  z.strictObject({
    right: fieldName.describe('Field with the text of the right option (SciQ, GPQA); gives the label too.'),
    wrong: z
      .union([fieldName, z.array(fieldName).min(1).max(25)])
      .describe('Field or fields with the wrong ones, each a text or a list of texts.'),
    separator: z
      .string()
      .min(1)
      .optional()
      .describe('Stands between the wrong options where a field has several in one text.'),
    seed: z.int().nonnegative().describe('Shuffles the options of each row.'),
  }),
]);

const labelSchema = z.union([
  fieldName,
  z
    .strictObject({
      field: fieldName,
      as: z
        .enum(['index', 'letter', 'text'])
        .optional()
        .describe('index (number), letter (A, B, ...) or text (equal to one option).'),
      keys: fieldName
        .optional()
        .describe(
          "Field with the list of this row's own option labels, of which the label is one (ARC, CommonsenseQA).",
        ),
      labelBase: labelBase
        .optional()
        .describe(
          'What the first option is called when the label is an index. Must be given for an index. detect: 0 where some label is 0, 1 where some label is the number of options.',
        ),
    })
    .meta({ dependentSchemas: { keys: without('as', 'labelBase') } }),
]);

/** JSON Schema: an index that does not say what it counts from. */
const BARE_INDEX = {
  type: 'object',
  required: ['as'],
  properties: { as: { const: 'index' } },
  not: { required: ['labelBase'] },
} as const;

const decodeRule = z.enum(['unicode-escapes', 'html', 'trim']);

const policy = z.enum(['refuse', 'skip', 'keep']);

const promptSchema = z.strictObject({
  template: z
    .string()
    .min(1)
    .describe('Prompt text; {field} inserts a field of the row, {options} the lettered options. {{ and }} are braces.'),
  option: z.string().optional().describe('How one option is shown in {options}; default "{label}. {text}".'),
  optionJoin: z.string().optional().describe('Text between two options; default a line break.'),
  optionLabels: z
    .union([z.enum(['upper', 'lower', 'digits']), z.array(z.string().min(1)).min(2)])
    .optional()
    .describe('Labels of the options: A B C, a b c, 1 2 3, or a list of your own.'),
  answerPrefix: z
    .string()
    .optional()
    .describe(
      'Text between the prompt and the scored label; default one space after a visible character, else nothing.',
    ),
});

const fewShotSchema = z.strictObject({
  count: z.int().positive().describe('How many solved examples stand before every question.'),
  seed: z.int().nonnegative().describe('Draws them; the same seed gives the same block.'),
  from: z
    .union([z.string().min(1), z.strictObject({ split: z.string().min(1) })])
    .optional()
    .describe(
      'Another file with the same fields, or another split of a hub data set; absent: rows of the data set, which are then not evaluated.',
    ),
  separator: z.string().optional().describe('Text after each solved example; default an empty line.'),
});

const scoringSchema = z
  .strictObject({
    mode: z
      .enum(['letter', 'text', 'hybrid'])
      .optional()
      .describe(
        'letter (default): options are shown, one label token is scored; text: options are not shown, their text is scored; hybrid: options are shown, their text is scored.',
      ),
    normalize: z
      .enum(['sum', 'mean-token', 'per-char', 'pmi'])
      .optional()
      .describe('How token log-probabilities become the score of a text; default sum.'),
    pmiPrompt: z
      .string()
      .min(1)
      .optional()
      .describe('Prompt without the question, whose score is subtracted by pmi; default "Answer:".'),
    minimumOptionMass: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        'A model whose median option mass is lower is left out; default 0.001 in letter mode, 0 otherwise. 0 takes all.',
      ),
  })
  .superRefine(({ mode, normalize, pmiPrompt }, context) => {
    const refuse = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
    if (normalize !== undefined && (mode ?? 'letter') === 'letter')
      refuse('normalize', 'is for `mode: text` and `mode: hybrid`; letter mode scores one token');
    if (pmiPrompt !== undefined && normalize !== 'pmi') refuse('pmiPrompt', 'is used by `normalize: pmi` only');
  })
  .meta({
    dependentSchemas: {
      normalize: { required: ['mode'], properties: { mode: { enum: ['text', 'hybrid'] } } },
      pmiPrompt: { required: ['normalize'], properties: { normalize: { const: 'pmi' } } },
    },
  });

const fieldsSchema = z
  .strictObject({
    id: z
      .union([fieldName, z.array(fieldName).min(1)])
      .optional()
      .describe('Default: a hash of the row content.'),
    options: optionsSchema,
    label: labelSchema
      .optional()
      .describe('Absent: the data set is unlabelled; metrics need labels, the fit does not.'),
    prompt: z
      .record(z.string().min(1), fieldName)
      .optional()
      .describe('Other names for fields in the prompt: name in the template -> field of the row.'),
  })
  .meta({
    if: {
      required: ['options'],
      properties: { options: { type: 'object', anyOf: [{ required: ['truth'] }, { required: ['right'] }] } },
    },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: without('label'),
  });

const decodeSchema = z
  .record(fieldName, z.union([decodeRule, z.array(decodeRule).min(1)]))
  .describe('How the texts of a field are decoded, in this order; absent: untouched.');

const formSchema = z.strictObject({ ...CSV_SETTINGS, fields: fieldsSchema, decode: decodeSchema.optional() });

/** `datasets/NAME.yaml`: where rows are, what their fields mean, and how they become a prompt. */
export const datasetSchema = z
  .strictObject({
    id: z.string().min(1).optional().describe('Default: the file name without .yaml.'),
    title: z.string().optional(),
    size: z
      .strictObject({
        rows: z.int().positive(),
        promptTokens: z.int().positive().describe('Of one prompt, on average.'),
        longestTokens: z.int().positive().optional().describe('Of the longest prompt.'),
        options: z.int().min(2).optional(),
      })
      .optional()
      .describe('About how large it is, for estimates of `doctor` before the rows are here.'),
    labelBase: labelBase.optional().describe('Same as label.labelBase.'),
    source: z
      .union([z.string().min(1), sourceSchema])
      .optional()
      .describe('Absent: rows come from `supportcal import`.'),
    fields: fieldsSchema.optional(),
    decode: decodeSchema.optional(),
    forms: z
      .array(formSchema)
      .min(1)
      .optional()
      .describe(
        'Other forms in which files of these rows come, such as the original release: the first one whose fields the file has is used where it lacks those of `fields`.',
      ),
    emptyOptions: policy.optional().describe('Rows with an empty option; default refuse.'),
    duplicateOptions: policy
      .optional()
      .describe('Rows with two options of the same text; default keep, with a warning.'),
    missingLabels: policy
      .optional()
      .describe(
        'Rows without a label; default keep: they take part in the fit. Given, the field itself may be absent.',
      ),
    prompt: promptSchema
      .extend({
        variants: z.record(z.string(), promptSchema.partial()).optional(),
        fewShot: fewShotSchema.optional().describe('Solved examples before every question, in every variant.'),
      })
      .optional(),
    variant: z.string().optional().describe('Which of prompt.variants to use; default the plain prompt.'),
    scoring: scoringSchema.optional(),
    elicitation: z
      .strictObject({
        prompt: z.string().min(1).describe("What stands after question and options, in place of the suite's."),
      })
      .optional(),
  })
  .meta({
    allOf: [
      {
        if: { required: ['emptyOptions'], properties: { emptyOptions: { const: 'keep' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { properties: { scoring: { properties: { mode: { const: 'letter' } } } } },
      },
      {
        if: {
          properties: { fields: { properties: { label: BARE_INDEX }, required: ['label'] } },
          required: ['fields'],
        },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { required: ['labelBase'] },
      },
    ],
  });

export type DatasetYaml = z.infer<typeof datasetSchema>;
export type DatasetSourceYaml = z.infer<typeof sourceSchema>;
export type FilterYaml = z.infer<typeof filterSchema>;
export type DatasetOptionsYaml = z.infer<typeof optionsSchema>;
export type FewShotYaml = z.infer<typeof fewShotSchema>;
export type ScoringYaml = z.infer<typeof scoringSchema>;
export type PromptYaml = z.infer<typeof promptSchema>;
