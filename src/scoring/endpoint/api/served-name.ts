import { z } from 'zod';
import { EndpointFault } from '../endpoint-fault.js';
import type { HttpClient } from '../http-client.js';
import { answerOf } from './served-api.js';

const models = z.object({
  data: z.array(z.looseObject({ id: z.string(), root: z.string().nullish(), created: z.number().optional() })),
});

/**
 * What the model behind a served name is called where it came from (`root`), where the server says that; null: it does
 * not. A path of the server's machine is left out but for its last part.
 *
 * @throws EndpointFault when no model of that name is served
 */
export async function servedName(client: HttpClient, model: string): Promise<string | null> {
  const { data } = answerOf(models, await client.ask('/v1/models'));
  const served = data.find(({ id }) => id === model);
  if (served === undefined) {
    const names = data.slice(0, 10).map(({ id }) => `"${id}"`);
    throw new EndpointFault('model', `the server serves no "${model}"; it has ${names.join(', ') || 'no model'}`);
  }
  return served.root?.split(/[\\/](?=[^\\/]*[\\/]?[^\\/]*$)/).pop() ?? null;
}
