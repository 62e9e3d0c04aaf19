import { backend as llama } from '../../src/engine/llama/llama-backend.js';
import type { Backend, EvaluationContext, LoadedModel } from '../../src/engine/protocol/backend.js';

/**
 * A backend that tokenises with the vocabulary of the file and evaluates nothing: every option's logit follows from the
 * tokens. What is left is what a child does for a model beside the card's work; the child says what it took.
 */
export const backend: Backend = {
  async load(request) {
    started ??= process.cpuUsage();
    const model = await llama.load({ ...request, device: 'cpu', gpuLayers: 0, vocabOnly: true });
    return { ...model, ...counted(model, request.vocabOnly === true ? 'tokenised' : 'all'), ...EVALUATING_NOTHING };
  },
  shutdown: () => llama.shutdown(),
};

/** At the first load of a file. */
let started: NodeJS.CpuUsage | undefined;

/** Says at the end of the file's use how many characters were tokenised, and the processor time of the process. */
function counted(model: LoadedModel, what: string): Pick<LoadedModel, 'tokenize' | 'close'> {
  let characters = 0;
  const tokenize = (text: string) => {
    characters += text.length;
    return model.tokenize(text);
  };
  const close = () => {
    const { user, system } = process.cpuUsage(started);
    const seconds = ((user + system) / 1e6).toFixed(2);
    process.stdout.write(`child ${process.pid}, ${what}: ${characters} characters, ${seconds} s of processor time\n`);
    return model.close();
  };
  return { tokenize, close };
}

const EVALUATING_NOTHING: Pick<LoadedModel, 'openContext' | 'memoryNeeds'> = {
  memoryNeeds: async () => ({ weights: 1000, kvCache: 1000, compute: 1000 }),
  openContext: async ({ sequences, contextSize, batchSize }) => ({
    sequences,
    tokensPerSequence: contextSize,
    batchSize,
    fills: true,
    ...NO_EVALUATION,
  }),
};

const NO_EVALUATION: Pick<EvaluationContext, 'evaluate' | 'evaluateTexts' | 'evaluateTails' | 'generate'> = {
  evaluate: async (rows) =>
    rows.map(({ tokens, optionIds }) => {
      const sum = tokens.reduce((total, token) => (total + token) % 1009, 0);
      return { kind: 'logits', logits: optionIds.map((id) => ((sum + id) % 17) / 4), maxLogit: 5, totalWeight: 3 };
    }),
  evaluateTexts: async () => [],
  evaluateTails: async () => [],
  generate: async () => [],
};
