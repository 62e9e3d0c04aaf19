import type { EndpointModel } from '../../config/source-kind.js';
import type { EndpointPlace } from '../../contract/model-place.js';
import type { FoundModel, ModelSource, Unavailable } from '../../contract/source.js';
import { contentHash } from '../../files/content-hash.js';
import type { SourceWorkspace } from '../../models/model-places.js';
import { EndpointFault } from '../endpoint/endpoint-fault.js';
import { fingerprintName } from '../endpoint/fingerprint.js';
import { lastKnown, remember } from '../endpoint/known-endpoints.js';
import { probeEndpoint } from '../endpoint/open-endpoint.js';
import { scoreEndpoints } from '../endpoint/score-endpoints.js';

/**
 * A model behind a server. What answers there is found out by `lookUp` and put on record, so that its scores are found
 * again while the server is away.
 */
export function endpointSource(workspace: SourceWorkspace, model: EndpointModel): ModelSource {
  const { hub, unfound, options } = workspace;
  const away = () =>
    hub.offline ? 'it is behind a server, and this run is offline' : (unfound?.get(model.id) ?? null);
  return {
    kind: 'endpoint',
    can: waysOf(model),
    needs: { device: false, network: true },
    async lookUp() {
      if (hub.offline) return null;
      try {
        await remember(options.cache, model, await probeEndpoint(model, { signal: hub.signal }));
        return null;
      } catch (error) {
        if (error instanceof EndpointFault) return error.message;
        throw error;
      }
    },
    async find(): Promise<FoundModel | Unavailable> {
      const place = await lastKnown(options.cache, model);
      if (place !== null) return found(model, place, away());
      return { reason: away() ?? `"${model.endpoint.model}" on ${model.endpoint.url} has not been asked yet` };
    },
    fetch: async () => away(),
    score: scoreEndpoints,
  };
}

/** Texts are scored where the interface tells the log-probabilities of a prompt's own tokens. */
function waysOf({ endpoint: { api }, prompt }: EndpointModel): ModelSource['can'] {
  const echoes = api === 'openai' ? prompt === 'raw' : api !== 'ollama';
  return new Set(['letter', 'rotations', 'reply', ...(echoes ? (['text'] as const) : [])]);
}

function found(model: EndpointModel, place: EndpointPlace, away: string | null): FoundModel {
  const { api, url, model: name, top, tokenIds, missing } = model.endpoint;
  const identity = {
    endpoint: {
      api,
      url: url.replace(/\/+$/, ''),
      model: name,
      ...(top !== undefined && { top }),
      ...(tokenIds !== undefined && { tokenIds }),
      ...(missing === 'bound' && { missing }),
    },
    version: place.version,
    revision: place.revision,
    fingerprint: fingerprintName(place.fingerprint),
    backend: 'endpoint',
  } as const;
  return {
    identity: () => identity,
    place,
    sha256: contentHash(identity),
    origin: `${name} on ${url}`,
    lora: [],
    missing: away === null ? [] : ['the server'],
    // The scorer looks at the fingerprint itself before it hands rows over.
    watch: () => async () => {},
  };
}
