import { z } from 'zod';
import { CSV_SETTINGS, fieldName, sourceSchema, without } from './source-schema.js';

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
  z.strictObject({
    map: fieldName.describe(
      'Field with an object from letter (or number) to option text; entries that are null are no options.',
    ),
  }),
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
        .enum(['index', 'letter', 'text', 'truth'])
        .optional()
        .describe(
          'index (number), letter (A, B, ...), text (equal to one option) or truth (a list of 1 and 0, or true and ' +
            'false, one for each option).',
        ),
      keys: fieldName
        .optional()
        .describe(
          "Field with the list of this row's own option labels, of which the label is one (ARC, CommonsenseQA).",
        ),
      labelBase: labelBase
        .optional()
        .describe(
          'What the first option is called when the label is an index. Must be given for an index. detect: 0 ' +
            'where some label is 0, 1 where some label is the number of options.',
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
      'Another file with the same fields, or another split of a hub data set; absent: rows of the data set, ' +
        'which are then not evaluated.',
    ),
  separator: z.string().optional().describe('Text after each solved example; default an empty line.'),
});

const scoringSchema = z
  .strictObject({
    mode: z
      .enum(['letter', 'text', 'hybrid'])
      .optional()
      .describe(
        'letter (default): options are shown, one label token is scored; text: options are not shown, their ' +
          'text is scored; hybrid: options are shown, their text is scored.',
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
        'A model whose median option mass is lower is left out; ' +
          'default 0.001 in letter mode, 0 otherwise. 0 takes all.',
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
    group: fieldName
      .optional()
      .describe(
        'Rows of one value (a passage, a patient, a template) stay on one side of every split and are drawn together; an empty value is a group of its own.',
      ),
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
        'Other forms in which files of these rows come, such as the original release: the first one whose ' +
          'fields the file has is used where it lacks those of `fields`.',
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
    severalAnswers: z
      .enum(['refuse', 'skip', 'first', 'most'])
      .optional()
      .describe(
        'Rows with more than one right answer; default refuse. first: the first one; most: the one that is ' +
          'given most often, where there is one.',
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
export type DatasetOptionsYaml = z.infer<typeof optionsSchema>;
export type FewShotYaml = z.infer<typeof fewShotSchema>;
export type ScoringYaml = z.infer<typeof scoringSchema>;
export type PromptYaml = z.infer<typeof promptSchema>;
