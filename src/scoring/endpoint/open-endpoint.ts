import type { EndpointModel } from '../../config/source-kind.js';
import type { EndpointPlace } from '../../contract/model-place.js';
import { servedApi } from './api/served-apis.js';
import { anyFixedPrompt, takeFingerprint } from './fingerprint.js';
import { type ClientOptions, type HttpClient, httpClient } from './http-client.js';
import { optionIds } from './option-ids.js';
import { type Asking, biasProbe } from './score-options.js';

/** A model behind a server, ready to be asked. */
export interface OpenEndpoint {
  readonly asking: Asking;
  close(): Promise<void>;
}

/** @throws EndpointFault when its key is not there */
export function openEndpoint(
  model: EndpointModel,
  options: ClientOptions & { readonly biasWorks: boolean },
): OpenEndpoint {
  const client: HttpClient = httpClient(model.endpoint, options);
  const api = servedApi(model.endpoint, client);
  const ids = api.tokenize === undefined ? null : optionIds(api.tokenize.bind(api));
  return { asking: { model, api, ids, biasWorks: options.biasWorks }, close: () => client.close() };
}

/**
 * Asks who answers: release, revision, start token, whether a bias works, and the fingerprint.
 *
 * @throws EndpointFault when the server or the model cannot be reached
 */
export async function probeEndpoint(model: EndpointModel, options: ClientOptions): Promise<EndpointPlace> {
  const { asking, close } = openEndpoint(model, { ...options, biasWorks: false });
  try {
    const { version, revision } = await asking.api.describe();
    const bos = await startToken(asking);
    const biasWorks = await biasProbe(anyFixedPrompt(model), asking);
    const fingerprint = await takeFingerprint({ ...asking, biasWorks: false });
    return { kind: 'endpoint', version, revision, bos, biasWorks, fingerprint };
  } finally {
    await close();
  }
}

/**
 * Whether the server puts its start token before a prompt: before a raw one by the tokens of a word, before a chat by
 * the first of all its tokens, since a template may hold the token or not. null: it does not tell.
 */
async function startToken({ api, model }: Asking): Promise<boolean | null> {
  if (api.tokenize === undefined) return null;
  const [alone, whole] = [
    await api.tokenize('Question', 'text-alone'),
    await api.tokenize('Question', 'with-start-token'),
  ];
  const [start] = whole.length > alone.length ? whole : [];
  if (model.prompt === 'raw') return start !== undefined;
  if (start === undefined || api.promptTokens === undefined) return null;
  const [first] = await api.promptTokens(anyFixedPrompt(model));
  return first === start;
}
