import type { GgufModel } from '../../config/source-kind.js';
import type { GgufPlace } from '../../contract/model-place.js';
import type { AnyModelJob, ModelJob, Scorer } from '../../contract/scorer.js';
import type { FoundModel, ModelSource, Unavailable } from '../../contract/source.js';
import { SupportCalError } from '../../errors/supportcal-error.js';
import { isNotFound } from '../../hub/hub-fault.js';
import { fetchModelFiles, lookUpModelFiles } from '../../models/fetch-model-files.js';
import { type HashedModel, hashModelFiles } from '../../models/hash-model-files.js';
import { awaitsDownload, overrideAdvice } from '../../models/hub-models.js';
import { modelFiles } from '../../models/model-files.js';
import type { SourceWorkspace } from '../../models/model-places.js';
import { hubReferences } from '../../models/model-references.js';
import { unchangedFiles } from '../../models/unchanged-files.js';
import { scoreModels } from '../score-models.js';
import { ggufIdentity } from './gguf-identity.js';

/** A GGUF file, of this machine or of the hub, that llama.cpp evaluates in child processes of this machine. */
export function ggufSource(workspace: SourceWorkspace, model: GgufModel): ModelSource {
  return {
    kind: 'gguf',
    can: new Set(['letter', 'text', 'rotations', 'reply']),
    needs: { device: true, network: hubReferences(model).length > 0 },
    lookUp: () => lookUpModelFiles(workspace, model),
    async find() {
      const hashed = await hashModelFiles(workspace, model);
      return 'reason' in hashed ? hashed : foundModel(model, hashed);
    },
    fetch: () => fetchModelFiles(workspace, model),
    inspect: () => placeNow(workspace, model),
    score: scoreFiles,
  };
}

/** A source is given its own models alone. */
const scoreFiles: Scorer = (jobs, settings, events) => scoreModels(jobs.filter(isFileJob), settings, events);

function isFileJob(job: AnyModelJob): job is ModelJob {
  return job.place.kind === 'gguf';
}

function foundModel(model: GgufModel, hashed: HashedModel): FoundModel {
  const { path, bytes, sha256, origin, lora, remote } = hashed;
  const adapters = lora.map((adapter) => ({ path: adapter.path, scale: adapter.scale }));
  return {
    identity: (device) => ggufIdentity(model, hashed, device),
    place: { kind: 'gguf', path, bytes, ...(adapters.length > 0 && { lora: adapters }) },
    sha256,
    origin,
    lora,
    missing: remote.map(({ listed }) => listed.path),
    watch: () => unchangedFiles(hashed, model),
  };
}

/** The file as it is, unhashed. A file of the hub that is not here yet is no problem: a run fetches it. */
async function placeNow(workspace: SourceWorkspace, model: GgufModel): Promise<GgufPlace | Unavailable | null> {
  try {
    const { path, bytes } = await modelFiles(workspace, model);
    return { kind: 'gguf', path, bytes };
  } catch (error) {
    if (!(error instanceof SupportCalError)) throw error;
    if (awaitsDownload(error)) return null;
    return { reason: `${error.message}${isNotFound(error) ? overrideAdvice(model, model.file) : ''}` };
  }
}
