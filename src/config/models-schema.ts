import { z } from 'zod';
import { METHOD_NAMES, METHODS } from '../calibration/methods.js';

/** What a suite that says nothing runs. */
const DEFAULT_METHODS = METHODS.filter(({ byDefault }) => byDefault).map(({ name }) => name);

export const BIN_EDGES = ['equal-width', 'equal-mass'] as const;
export const EDGE_RULES = ['left-owned', 'right-owned'] as const;

/** How much of the paper's diagnostics a run computes. */
const DIAGNOSTIC_LEVELS = ['basic', 'full'] as const;

/** Number types of the KV cache that llama.cpp has kernels for. */
const KV_TYPES = ['f32', 'f16', 'bf16', 'q8_0', 'q5_1', 'q5_0', 'q4_1', 'q4_0', 'iq4_nl'] as const;

const scoringOverrides = z
  .strictObject({
    contextSize: z.int().positive().optional().describe('Tokens one sequence may hold; default: longest prompt.'),
    sequences: z.int().positive().optional().describe('Prompts evaluated together.'),
    batchSize: z.int().positive().optional().describe('Tokens of one decode.'),
    contexts: z
      .int()
      .positive()
      .max(16)
      .optional()
      .describe(
        'Contexts on a card, each with its own cache; default: 2, 4 where options are texts or replies free, 1 on Vulkan. ' +
          'Changes no score.',
      ),
    threads: z
      .int()
      .positive()
      .optional()
      .describe('Threads of one decode; at most as many as this machine has cores are started.'),
    kvType: z.enum(KV_TYPES).optional().describe('Number type of the KV cache; default f16.'),
    flashAttention: z
      .enum(['auto', 'on', 'off'])
      .optional()
      .describe('Default: off on a CPU, auto (where the device has it for this model) on a GPU.'),
    gpuLayers: z
      .union([z.int().nonnegative(), z.literal('max')])
      .optional()
      .describe('Layers on the GPU; default: all of them.'),
    devices: z
      .int()
      .positive()
      .optional()
      .describe('Cards that its layers are spread over; default: the fewest that hold it. Changes no score.'),
    device: z
      .literal('cpu')
      .optional()
      .describe(
        'Scores the model on the CPU, beside cards that score the others. Its scores are those of `--gpu off`.',
      ),
    memoryCheck: z
      .enum(['on', 'off'])
      .optional()
      .describe('off: load the model even if it seems not to fit into memory.'),
    maxFailedShare: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(
        'Stop the model when more of its rows fail: of those evaluated with a file, once there are 50 (default 0.5); of all ' +
          'with a server, once there are 100 (default 0.05).',
      ),
    bos: z.enum(['auto', 'always', 'never']).optional().describe('auto: as the metadata of the file says.'),
    preTokenizer: z
      .string()
      .min(1)
      .optional()
      .describe('Name of the pre-tokenizer in llama.cpp, in place of tokenizer.ggml.pre of the file.'),
  })
  .meta({
    not: {
      required: ['flashAttention', 'kvType'],
      properties: { flashAttention: { const: 'off' }, kvType: { pattern: 'q' } },
    },
  });

/** Interfaces that a served model can be asked through. */
export const ENDPOINT_APIS = ['vllm', 'sglang', 'llama-server', 'openai', 'ollama'] as const;

/** A model behind a server. */
const endpointSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .describe('Address of the server, without the path of an interface: http://127.0.0.1:8000'),
  model: z.string().min(1).describe('Name under which the server serves the model.'),
  api: z.enum(ENDPOINT_APIS).describe('Interface of the server; `openai` for any other one that speaks it.'),
  key: z
    .strictObject({ env: z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of an environment variable') })
    .optional()
    .describe('Environment variable that holds the key. A key is never written into a file.'),
  concurrency: z.int().min(1).max(1024).default(32).describe('Most requests at a time.'),
  timeoutSeconds: z.number().positive().max(3600).default(120).describe('Longest wait for one answer.'),
  top: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Most probable tokens to ask for where named ones cannot be; default: what the interface allows.'),
  tokenIds: z
    .record(z.string().min(1), z.int().nonnegative())
    .optional()
    .describe('Token id of each option with what stands before it (" A"), for an equal logit_bias; openai only.'),
  missing: z
    .enum(['fail', 'bound'])
    .optional()
    .describe(
      'What becomes of a row with an option that the server does not tell: it fails (default), or takes the interval that the ' +
        'most probable tokens leave; temperature and ECE are then given as intervals too.',
    ),
  missingFloor: z
    .number()
    .positive()
    .max(0.1)
    .optional()
    .describe(
      'With `missing: bound`: the least probability that you take an option to have; without it nothing is known.',
    ),
  pricePerMillionTokens: z.number().nonnegative().optional().describe('Of prompt tokens, for `doctor` and --max-cost.'),
});

/** One entry of `models:` in models.yaml. */
export const modelSchema = z
  .strictObject({
    id: z.string().min(1),
    label: z.string().min(1).max(60).optional().describe('Name in tables, figures and reports; default: the id.'),
    role: z.enum(['base', 'post-trained']),
    base: z.string().optional().describe('Id of the own base; required for a post-trained model.'),
    bucket: z
      .string()
      .min(1)
      .default('default')
      .describe('Parameter-size bucket; references come from the same bucket.'),
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        'GGUF file, relative to models.yaml, or `hf:owner/repo/file.gguf`; {quant} stands for the quantisation. ' +
          'Absent: scores are imported.',
      ),
    endpoint: endpointSchema.optional().describe('A server that scores the model, in place of `file`.'),
    parameters: z
      .number()
      .positive()
      .optional()
      .describe('Weights in billions, for estimates of `doctor` before the file is here.'),
    activeParameters: z
      .number()
      .positive()
      .optional()
      .describe('Of a mixture of experts: billions of weights that one token passes.'),
    kvCacheKiB: z
      .number()
      .positive()
      .optional()
      .describe(
        'KiB of f16 KV cache that one token takes, for the same: layers x KV heads x (key + value width) x 2 / 1024.',
      ),
    vocabulary: z.int().positive().optional().describe('Tokens of the vocabulary, for the same.'),
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'expected 64 hexadecimal digits')
      .optional(),
    lora: z
      .union([
        z.string().min(1),
        z.array(z.strictObject({ file: z.string().min(1), scale: z.number().default(1) })).min(1),
      ])
      .optional()
      .describe('LoRA adapters (GGUF) put on the model: a file relative to models.yaml, or files with scales.'),
    prompt: z.enum(['raw', 'chat']).default('raw'),
    promptVariant: z
      .string()
      .min(1)
      .optional()
      .describe("Variant of a data set's prompt for this model, where the data set has one of that name."),
    assistantPrefix: z
      .string()
      .min(1)
      .optional()
      .describe('Plain text at the start of the reply of a chat prompt; the scored option follows it.'),
    scoring: scoringOverrides.optional(),
    elicitationPrompt: z
      .string()
      .min(1)
      .optional()
      .describe('Takes the place of elicitation.prompt of the suite and of the data set for this model.'),
  })
  // What `check-references` says, as far as one entry shows it.
  .meta({
    if: { required: ['role'], properties: { role: { const: 'post-trained' } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['base'] },
    else: { not: { required: ['base'] } },
    dependentRequired: { lora: ['file'] },
    // A model is in a file or behind a server, not both.
    allOf: [{ not: { required: ['file', 'endpoint'] } }],
    dependentSchemas: { assistantPrefix: { required: ['prompt'], properties: { prompt: { const: 'chat' } } } },
  });

/** How post-trained models are asked for an answer with a confidence in words, and for P(True). */
const elicitationSchema = z.strictObject({
  samples: z.int().min(1).max(100).default(5).describe('Replies per question of elicitation-ensemble.'),
  temperature: z.number().gt(0).max(10).default(0.7).describe('Of the replies of elicitation-ensemble.'),
  seed: z
    .int()
    .nonnegative()
    .default(1)
    .describe('The seed of every reply follows from it, the example and the sample.'),
  aggregator: z
    .enum(['avg-conf', 'consistency'])
    .default('avg-conf')
    .describe('avg-conf: confidence sum of the winning answer over the sum of all; consistency: share of the votes.'),
  structured: z
    .enum(['grammar', 'text'])
    .default('grammar')
    .describe('grammar: the reply is held to one JSON object with a label of the row; text: free, read by rules.'),
  maxTokens: z.int().min(1).max(4096).default(64).describe('Longest reply; one that is cut counts as unparsed.'),
  minimumCoverage: z
    .number()
    .min(0)
    .max(1)
    .default(0.5)
    .describe('Below this share of questions with a readable answer there is no ECE; 0: always one.'),
  prompt: z
    .string()
    .min(1)
    .optional()
    .describe('What stands after question and options; {labels}: the labels of the row. Default: asks for JSON.'),
  trueFalse: z
    .strictObject({
      prompt: z
        .string()
        .min(1)
        .describe('What stands after question and options; {label} and {text}: the proposed option.'),
      labels: z
        .tuple([z.string().min(1), z.string().min(1)])
        .describe('What the model says if it is right, if it is not.'),
    })
    .optional()
    .describe('How p-true asks. Default: "Is the answer {label} right? Reply yes or no."'),
});

const sizes = z.array(z.int().positive()).min(1);
const nameList = z.array(z.string().min(1)).min(1);
const methodNames = z.array(z.union([z.string().min(1), z.enum(METHOD_NAMES)])).min(1);

/** One entry of `suites:` in models.yaml. */
export const suiteSchema = z.strictObject({
  title: z.string().optional(),
  targets: z
    .union([z.literal('all'), nameList, z.record(z.string(), nameList)])
    .default('all')
    .describe('Post-trained models to calibrate: all, a list, or a list per data set.'),
  datasets: nameList,
  references: nameList.optional().describe('Restricts the candidate pool; default: every base of the bucket.'),
  combinationSizes: z
    .union([sizes, z.record(z.string(), sizes)])
    .optional()
    .describe('M of supportcal, for all data sets or per data set (`default` for the rest). Default: 1 and 2.'),
  published: z
    .strictObject({
      file: z.string().min(1).describe('YAML file of printed numbers, relative to models.yaml.'),
      tables: nameList.optional().describe('Names of its tables; default: all.'),
      diagnostics: z
        .boolean()
        .default(false)
        .describe('Whether its numbers of diagnostics are of the targets of this suite.'),
    })
    .optional()
    .describe('Numbers printed elsewhere; the report sets ours beside them.'),
  methods: z
    .union([methodNames, z.record(z.string(), methodNames)])
    .default(DEFAULT_METHODS)
    .describe(
      'Columns of the report, for all data sets or per data set (`default` for the rest): built-in methods, and ' +
        'entries of the files that --method-file names.',
    ),
  elicitation: elicitationSchema.prefault({}),
  seeds: z.array(z.int().nonnegative()).min(1).default([1, 2, 3, 4, 5]),
  calibrationFraction: z.number().gt(0).lt(1).default(0.3),
  diagnostics: z
    .enum(DIAGNOSTIC_LEVELS)
    .default('basic')
    .describe(
      'full: curves and weights by margin for every seed, M and method, also of large data sets; references are then scored even where no method wants them.',
    ),
  examples: z
    .enum(['common', 'per-method'])
    .default('common')
    .describe(
      'common: an example that some model of a target lacks (own base, any reference of the pool) counts for no method; per-method: it counts for the methods that need no such model.',
    ),
  bins: z.int().positive().default(10).describe('Bins of the ECE.'),
  binEdges: z.enum(BIN_EDGES).default('equal-width'),
  edgeRule: z.enum(EDGE_RULES).default('left-owned').describe('Which equal-width bin owns a confidence on an edge.'),
  bootstrap: z
    .union([z.literal('auto'), z.int().nonnegative()])
    .default('auto')
    .describe('Resamples behind intervals and p-values; 0: none; auto: 500, fewer or none on large data sets.'),
  removeAfterScoring: z
    .boolean()
    .optional()
    .describe(
      'Whether a model file that was fetched from the hub is removed once all its scores of the suite are in the ' +
        'cache; what another suite still needs, and files of your own, stay. `--disk` sets a limit to what lies there.',
    ),
});

const quant = z.string().regex(/^[\w.-]+$/, 'expected the name of a quantisation, such as Q8_0');

export const modelsFileSchema = z.strictObject({
  quant: quant.optional().describe('What {quant} in `file` stands for, unless --quant says otherwise; default Q8_0.'),
  models: z.array(modelSchema).min(1),
  suites: z.record(z.string(), suiteSchema),
});

/** `models.local.yaml`: files of this machine in place of those that models.yaml names. */
export const localModelsSchema = z.strictObject({
  quant: quant.optional().describe('In place of the one of models.yaml.'),
  models: z
    .array(
      z.strictObject({
        id: z.string().min(1).describe('A model of models.yaml.'),
        file: z.string().min(1).describe('GGUF file on this machine, relative to this file, or an `hf:` reference.'),
        sha256: modelSchema.shape.sha256,
        scoring: modelSchema.shape.scoring,
      }),
    )
    .default([]),
});

export type EndpointSpec = z.infer<typeof endpointSchema>;
export type KvType = (typeof KV_TYPES)[number];
export type ModelSpec = z.infer<typeof modelSchema>;
export type SuiteSpec = z.infer<typeof suiteSchema>;
export type ModelsFile = z.infer<typeof modelsFileSchema>;
