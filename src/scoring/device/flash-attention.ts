import type { ModelSpec } from '../../config/models-schema.js';
import type { Device } from '../../contract/device.js';
import type { FlashAttention } from '../../contract/scorer.js';

/**
 * How attention is computed, which moves logits slightly: models.yaml decides, else the device. On a CPU flash
 * attention is 2 to 12 % faster with files of real size and no less exact (bench/flash-attention.ts). But then tokens
 * that were kept from an earlier pass move a logit by up to 0.07, so that short prompts could share no pass and stems
 * could not be kept. A GPU has it where its kernels fit the model (`auto`: llama.cpp looks when a context is made).
 * Values of the KV cache that are stored in blocks can be read by it only.
 */
export function flashAttentionOf(scoring: ModelSpec['scoring'], device: Device): FlashAttention {
  if (scoring?.flashAttention !== undefined) return scoring.flashAttention;
  if (isStoredInBlocks(scoring?.kvType)) return 'on';
  return device === 'cpu' ? 'off' : 'auto';
}

function isStoredInBlocks(kvType: string | undefined): boolean {
  return kvType?.includes('q') ?? false;
}
