import type { ENDPOINT_APIS, EndpointSpec } from '../../../config/models-schema.js';
import type { HttpClient } from '../http-client.js';
import { llamaServerApi } from './llama-server-api.js';
import { ollamaApi } from './ollama-api.js';
import { openaiApi } from './openai-api.js';
import type { ServedApi } from './served-api.js';
import { sglangApi } from './sglang-api.js';
import { vllmApi } from './vllm-api.js';

const SERVED_APIS: Readonly<
  Record<(typeof ENDPOINT_APIS)[number], (spec: EndpointSpec, client: HttpClient) => ServedApi>
> = {
  vllm: vllmApi,
  sglang: sglangApi,
  'llama-server': llamaServerApi,
  openai: openaiApi,
  ollama: ollamaApi,
};

/** The interface of a server, over a client that reaches it. */
export function servedApi(spec: EndpointSpec, client: HttpClient): ServedApi {
  return SERVED_APIS[spec.api](spec, client);
}
