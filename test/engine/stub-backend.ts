import type {
  Backend,
  Evaluation,
  EvaluationRow,
  Generation,
  GenerationRow,
  TailsEvaluation,
  TailsRow,
  TextEvaluation,
  TextRow,
} from '../../src/engine/protocol/backend.js';

/** Few steps and little text, so that time alone ends it. */
const LOOPING = '{% for n in range(100000) %}{% set m = range(900000) %}{% endfor %}';

/**
 * A backend without native code: one token per character; the logits of a prompt follow from its characters alone.
 * Words in the text steer it: `ABORT`, `HANG`, `NAN`, `INF`, `MISSING`, `THROW`.
 */
export const backend: Backend = {
  async load({ modelPath, vocabOnly = false, onLog }) {
    if (modelPath.includes('refused')) throw new Error('unknown architecture "stub"');
    if (modelPath.includes('abort-on-load')) process.abort();
    const heavy = modelPath.includes('heavy');
    if (heavy && !vocabOnly) process.abort();
    onLog('warn', 'a line of the native library');
    if (modelPath === '/chatty.gguf') process.stdout.write('a line on the standard output of the child\n');
    return {
      info: {
        architecture: 'stub',
        device: 'cpu',
        chatTemplate: modelPath.includes('looping-template') ? LOOPING : null,
        trainContextSize: 4096,
        vocabularyType: 'bpe',
        tokenizerModel: 'gpt2',
        preTokenizer: 'stub',
        bos: { id: 1, text: '<s>' },
        eosText: '</s>',
        addBosKey: true,
        addBosDefault: true,
        rewinds: true,
        exactInCompany: true,
      },
      tokenize: (text) => Array.from(text, (character) => 10 + character.codePointAt(0)!),
      controlTokens: () => [],
      detokenize: (tokens) => tokens.map((token) => (token === 1 ? '<s>' : String.fromCodePoint(token - 10))).join(''),
      memoryNeeds: async ({ contextSize, sequences, contexts }) => ({
        weights: heavy ? 600 * 2 ** 20 : 1000,
        kvCache: contextSize * sequences * contexts * (modelPath.includes('wide') ? 4096 : 1),
        compute: 10 * contexts,
      }),
      openContext: async (request) => {
        if (modelPath.includes('abort-when-large') && request.sequences > 64) process.abort();
        return {
          sequences: request.sequences,
          tokensPerSequence: request.contextSize,
          batchSize: request.batchSize,
          evaluate: async (rows) => await Promise.all(rows.map(evaluate)),
          evaluateTexts: async (rows) => await Promise.all(rows.map(evaluateText)),
          evaluateTails: async (rows) => await Promise.all(rows.map(evaluateTailsOf)),
          generate: async (rows) => await Promise.all(rows.map(generate)),
        };
      },
      close: async () => {},
    };
  },
  async shutdown() {},
};

async function evaluate({ tokens, optionIds }: EvaluationRow): Promise<Evaluation> {
  const text = String.fromCodePoint(...tokens.slice(1).map((token) => token - 10));
  if (text.includes('ABORT')) process.abort();
  if (text.includes('HANG')) await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  if (text.includes('THROW')) throw new Error('decode failed');
  const sum = tokens.reduce((total, token) => total + token, 0);
  const logits: (number | undefined)[] = optionIds.map((id) => ((sum + id) % 17) / 4);
  if (text.includes('NAN')) logits[0] = Number.NaN;
  if (text.includes('INF')) logits.fill(Number.NEGATIVE_INFINITY);
  if (text.includes('MISSING')) logits[1] = undefined;
  return { kind: 'logits', logits, maxLogit: 5, totalWeight: 3 };
}

/** The reply follows from prompt and seed alone; `SAY(...)` in the prompt is what is said. */
async function generate({ tokens, samples, maxTokens }: GenerationRow): Promise<Generation[]> {
  const prompt = await evaluate({ tokens, optionIds: [1] });
  const text = String.fromCodePoint(...tokens.slice(1).map((token) => token - 10));
  return samples.map(({ seed }): Generation => {
    if (text.includes('NAN') || prompt.kind === 'error') return { kind: 'error', message: 'no token could be drawn' };
    const said = /SAY\((.*?)\)/s.exec(text)?.[1] ?? `{"answer": "${'AB'[seed % 2]}", "confidence": ${seed % 101}}`;
    return { kind: 'text', text: said.slice(0, maxTokens), tokens: said.length, ended: said.length <= maxTokens };
  });
}

/** Each tail as the prompt that it makes with the stem. */
async function evaluateTailsOf({ tokens, tails }: TailsRow): Promise<TailsEvaluation> {
  const evaluations = await Promise.all(
    tails.map((tail) => evaluate({ tokens: [...tokens, ...tail.tokens], optionIds: tail.optionIds })),
  );
  const readings = evaluations.flatMap((each) => (each.kind === 'logits' ? [each] : []));
  return { kind: 'readings', readings };
}

/** Token by token: ln p follows from the token and all that stands before it. */
async function evaluateText({ tokens, continuations }: TextRow): Promise<TextEvaluation> {
  const longest = continuations.reduce((a, b) => (b.length > a.length ? b : a));
  const prompt = await evaluate({ tokens, optionIds: longest });
  if (prompt.kind === 'error') return prompt;
  const steered = prompt.logits.find((logit) => !Number.isFinite(logit));
  const logProb = (before: readonly number[], token: number) =>
    -0.25 - (before.reduce((total, each) => total + each, token) % 17) / 4;
  return {
    kind: 'logProbs',
    logProbs: continuations.map((ids) =>
      ids.map((id, j) =>
        prompt.logits.every(Number.isFinite) ? logProb([...tokens, ...ids.slice(0, j)], id) : steered,
      ),
    ),
  };
}
