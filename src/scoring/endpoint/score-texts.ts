import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ScoredRow } from '../../contract/scored-row.js';
import type { TextEvaluation } from '../../engine/protocol/backend.js';
import { scoreText } from '../../engine/rows/text-score.js';
import type { EchoedText } from './api/served-api.js';
import { EndpointFault } from './endpoint-fault.js';
import { framePrompt, refuseControlMarks } from './frame-prompt.js';
import type { Asking } from './score-options.js';

/**
 * The row of one example whose options are scored as whole texts: one request an option, and for `pmi` one more after
 * the pmi prompt.
 *
 * @throws EndpointFault (model) when no row can be had
 */
export async function scoreTexts(prompt: ExamplePrompt, asking: Asking): Promise<ScoredRow> {
  const { id, continuations, textScore = { normalize: 'sum' } } = prompt;
  try {
    const own = await echoes(prompt, asking);
    const baseline =
      textScore.normalize === 'pmi' ? await echoes({ ...prompt, text: textScore.pmiPrompt }, asking) : null;
    const scoring = {
      normalize: textScore.normalize,
      continuations: own.map(({ tokens }) => tokens),
      characters: continuations.map((text) => Array.from(text).length),
    };
    const promptTokens = Math.max(0, ...own.map((each) => each.promptTokens));
    const row = { id, promptTokens };
    return scoreText(row, scoring, evaluationOf(own), baseline === null ? null : evaluationOf(baseline));
  } catch (error) {
    if (!(error instanceof EndpointFault) || error.concerns === 'model') throw error;
    return { status: 'failed', id, reason: error.message, promptTokens: 0 };
  }
}

/** One after the other, since a server keeps the prompt that they share. */
async function echoes(prompt: ExamplePrompt, { api, model }: Asking): Promise<EchoedText[]> {
  const { textAfter } = api;
  if (textAfter === undefined) throw new EndpointFault('model', 'its interface tells no log-probabilities of texts');
  const framed = framePrompt(prompt, model);
  refuseControlMarks([framed.text, ...framed.labels]);
  const found: EchoedText[] = [];
  for (const label of framed.labels) found.push(await textAfter(framed, label));
  return found;
}

function evaluationOf(texts: readonly EchoedText[]): TextEvaluation {
  return { kind: 'logProbs', logProbs: texts.map(({ logprobs }) => logprobs) };
}
