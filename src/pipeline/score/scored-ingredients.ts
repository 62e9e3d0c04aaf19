import type { ScoredKeyIngredients } from '../../cache/key/entry-key.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import { contentHash } from '../../files/content-hash.js';
import type { HashedFiles } from '../../models/hash-model-files.js';
import { flashAttentionOf } from '../../scoring/device/flash-attention.js';
import { llamaCppRelease, nativeVariables, nodeLlamaCppVersion } from '../../scoring/device/native-versions.js';
import { type Asked, promptsFor } from '../workspace/load-workspace.js';
import type { DatasetContent, WorkspaceDataset } from '../workspace/workspace.js';

/** Hashes the prompts of a data set; one for all models that are asked the same. */
export type PromptHasher = (prompts: readonly ExamplePrompt[]) => string;

export function promptHasher(): PromptHasher {
  const known = new Map<readonly ExamplePrompt[], string>();
  return (prompts) => {
    const hash = known.get(prompts) ?? contentHash(prompts);
    known.set(prompts, hash);
    return hash;
  };
}

/**
 * Everything that can change a score of one model on one data set, asked in one way: what its cache entry is found by.
 */
export function scoredIngredients(
  { model, file }: { readonly model: ModelSpec; readonly file: HashedFiles },
  { spec, content }: Pick<WorkspaceDataset, 'spec'> & { readonly content: DatasetContent },
  { way, prompts }: Asked,
  { device, promptHash }: { readonly device: Device; readonly promptHash: PromptHasher },
): ScoredKeyIngredients {
  const { variant } = promptsFor(spec, content, model);
  const own = model.scoring ?? {};
  const variables = nativeVariables();
  return {
    kind: 'scored',
    model: model.id,
    dataset: spec.id,
    variant,
    modelHash: file.sha256,
    ...(file.lora.length > 0 && { lora: file.lora.map(({ sha256, scale }) => ({ sha256, scale })) }),
    datasetHash: content.dataset.hash,
    promptHash: promptHash(prompts),
    promptMode: model.prompt,
    assistantPrefix: model.assistantPrefix ?? null,
    bos: own.bos ?? 'auto',
    scoringMode: way.scoringMode(spec.yaml.scoring),
    settings: {
      contextSize: own.contextSize ?? null,
      sequences: own.sequences ?? null,
      batchSize: own.batchSize ?? null,
      threads: own.threads ?? null,
      ...(own.preTokenizer !== undefined && { preTokenizer: own.preTokenizer }),
      ...(own.kvType !== undefined && { kvType: own.kvType }),
      ...(own.gpuLayers !== undefined && { gpuLayers: own.gpuLayers }),
      flashAttention: flashAttentionOf(model.scoring, device),
      swaFullCache: true,
      prefixReuse: true,
    },
    backend: device,
    ...(Object.keys(variables).length > 0 && { variables }),
    llamaCppRelease: llamaCppRelease(),
    nodeLlamaCpp: nodeLlamaCppVersion(),
  };
}
