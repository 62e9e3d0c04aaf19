import { askUpstream, type UpstreamReply } from './ask-upstream.js';
import { type CalibratedChoice, calibrateChoice } from './calibrate-choice.js';
import type { Choice } from './choice-tokens.js';
import { HttpFault } from './http-fault.js';
import { optionLabelsOf, type ProxyWishes } from './option-labels-of.js';
import { chosenArtefact, type ServedArtefact } from './served-artefacts.js';
import type { ServiceSettings } from './service-settings.js';

export type Interface = '/v1/chat/completions' | '/v1/completions';

export interface CompletionRequest extends Readonly<Record<string, unknown>> {
  readonly stream?: boolean;
  readonly supportcal?: ProxyWishes;
}

/** Most probable tokens that are asked for: the most that vLLM gives unless it is told otherwise. */
const TOP = 20;

/**
 * Sends an OpenAI-shaped request on with log-probabilities asked for, and adds to every choice of the reply, as
 * `supportcal`, the calibrated confidences of the options. Errors of the server come back as they are.
 */
export async function proxyCompletion(
  served: readonly ServedArtefact[],
  settings: ServiceSettings,
  path: Interface,
  { supportcal: wishes = {}, ...body }: CompletionRequest,
): Promise<UpstreamReply & { readonly calibrated: readonly CalibratedChoice[] }> {
  if (body.stream === true)
    throw new HttpFault(
      400,
      'stream',
      'confidences come with whole answers; leave `stream` out, or ask the server itself',
    );
  const artefact = chosenArtefact(served, wishes.artefact);
  const labels = optionLabelsOf(artefact, wishes);
  const reply = await askUpstream(settings, path, { ...body, ...wanted(path) });
  const choices = (reply.body as { choices?: unknown } | null)?.choices;
  if (reply.status !== 200 || !Array.isArray(choices)) return { ...reply, calibrated: [] };
  const calibrated = choices.map((choice: Choice) => calibrateChoice(artefact, labels, choice));
  const withConfidences = choices.map((choice: Choice, n) => ({ ...choice, supportcal: calibrated[n] }));
  return { status: 200, body: { ...(reply.body as object), choices: withConfidences }, calibrated };
}

function wanted(path: Interface) {
  return path === '/v1/completions' ? { logprobs: TOP } : { logprobs: true, top_logprobs: TOP };
}
