import type { ExamplePrompt } from '../../contract/prompt.js';
import type { ModelRow } from '../../contract/scored-row.js';
import { EndpointFault } from './endpoint-fault.js';
import { framePrompt, refuseControlMarks } from './frame-prompt.js';
import type { Asking } from './score-options.js';

/**
 * The row of one reply that the model writes, held to the form that is asked for where the interface can do that. How
 * probable such replies are for the model no server says.
 *
 * @throws EndpointFault (model) when no row can be had
 */
export async function askReply(prompt: ExamplePrompt, { api, model }: Asking): Promise<ModelRow> {
  const { id, reply: wanted } = prompt;
  if (wanted === undefined) return { status: 'failed', id, reason: 'the prompt asks for no reply', promptTokens: 0 };
  try {
    const framed = framePrompt({ text: prompt.text, continuations: [], answerPrefix: '' }, model);
    refuseControlMarks([framed.text]);
    const { form, seed, temperature, maxTokens } = wanted;
    const labelled = form === null ? null : { ...form, labels: prompt.continuations };
    const { text, tokens, ended, promptTokens } = await api.reply(framed, {
      temperature,
      seed,
      maxTokens,
      form: labelled,
    });
    return { status: 'replied', id, text, replyTokens: tokens, ended, seed, promptTokens };
  } catch (error) {
    if (!(error instanceof EndpointFault) || error.concerns === 'model') throw error;
    return { status: 'failed', id, reason: error.message, promptTokens: 0 };
  }
}
