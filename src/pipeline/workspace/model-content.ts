import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { ModelContent } from '../../contract/model-content.js';
import type { FoundModel } from '../../contract/source.js';
import { modelReference } from '../../hub/hub-model.js';
import { adaptersOf } from '../../models/model-references.js';

/** By what another machine finds a model: hashes and names of the hub, never a path of this machine. */
export function modelContent(model: ModelSpec, found: FoundModel, device: Device): ModelContent {
  const adapters = adaptersOf(model);
  return {
    sha256: found.sha256,
    hub: atCommit(found.origin),
    lora: found.lora.map(({ sha256, scale }, n) => ({ sha256, scale, hub: onHub(adapters[n]?.file) })),
    identity: { ...found.identity(device) },
  };
}

/** `hub owner/name@commit file.gguf` as models.yaml would name it. */
function atCommit(origin: string | null): string | null {
  const match = /^hub (\S+@\S+) (.+)$/.exec(origin ?? '');
  return match === null ? null : onHub(`hf:${match[1]}/${match[2]}`);
}

function onHub(file: string | undefined): string | null {
  return file !== undefined && modelReference(file) !== null ? file : null;
}
