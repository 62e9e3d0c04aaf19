import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { GgufPlace } from '../../contract/model-place.js';
import type { GgufIdentity } from '../../contract/source.js';
import { kernelsOf } from '../../library/chosen-build.js';
import { llamaCppRelease, nativeVariables, nodeLlamaCppVersion } from '../../library/native-versions.js';
import type { HashedFiles } from '../../models/hash-model-files.js';
import { deviceFor } from '../device/device-for.js';
import { flashAttentionOf } from '../device/flash-attention.js';
import { evaluationShape } from '../memory/evaluation-shape.js';

type KeyedFiles = HashedFiles & Pick<GgufPlace, 'bytes'>;

/**
 * The identity of a GGUF model in a run on a device. The shape of evaluation is in it where models.yaml says it;
 * elsewhere it follows from the file and the device (`evaluationShape`), which are in it too.
 */
export function ggufIdentity({ scoring }: ModelSpec, files: KeyedFiles, ofRun: Device): GgufIdentity {
  const device = deviceFor({ scoring }, ofRun);
  const own = scoring ?? {};
  const inTurn = own.sequences === undefined && evaluationShape(files.bytes, device).company === 'never';
  const variables = nativeVariables();
  const kernels = kernelsOf(device);
  return {
    modelHash: files.sha256,
    ...(files.lora.length > 0 && { lora: files.lora.map(({ sha256, scale }) => ({ sha256, scale })) }),
    bos: own.bos ?? 'auto',
    settings: {
      contextSize: own.contextSize ?? null,
      sequences: own.sequences ?? null,
      batchSize: own.batchSize ?? null,
      threads: own.threads ?? null,
      ...(own.preTokenizer !== undefined && { preTokenizer: own.preTokenizer }),
      ...(own.kvType !== undefined && { kvType: own.kvType }),
      ...(own.gpuLayers !== undefined && { gpuLayers: own.gpuLayers }),
      flashAttention: flashAttentionOf(scoring, device),
      swaFullCache: true,
      prefixReuse: true,
      ...(inTurn && { prompts: 'in-turn' }),
    },
    backend: device,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(kernels !== null && { kernels }),
    llamaCppRelease: llamaCppRelease(),
    nodeLlamaCpp: nodeLlamaCppVersion(),
  };
}
