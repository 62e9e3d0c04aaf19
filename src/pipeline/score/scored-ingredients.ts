import type { ScoredKeyIngredients } from '../../cache/key/entry-key.js';
import type { ModelSpec } from '../../config/models-schema.js';
import type { ExamplePrompt } from '../../contract/prompt.js';
import type { SourceIdentity } from '../../contract/source.js';
import { contentHash } from '../../files/content-hash.js';
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
 * The identity of the model's source is in it as it is.
 */
export function scoredIngredients(
  { model, identity }: { readonly model: ModelSpec; readonly identity: SourceIdentity },
  { spec, content }: Pick<WorkspaceDataset, 'spec'> & { readonly content: DatasetContent },
  { way, prompts }: Asked,
  promptHash: PromptHasher,
): ScoredKeyIngredients {
  const { variant } = promptsFor(spec, content, model);
  return {
    ...identity,
    kind: 'scored',
    model: model.id,
    dataset: spec.id,
    variant,
    datasetHash: content.dataset.hash,
    promptHash: promptHash(prompts),
    promptMode: model.prompt,
    assistantPrefix: model.assistantPrefix ?? null,
    scoringMode: way.scoringMode(spec.yaml.scoring, prompts),
  };
}
