import { describe, expect, it } from 'vitest';
import { flashAttentionOf } from '../../../src/scoring/device/flash-attention.js';

describe('flashAttentionOf', () => {
  it('is what models.yaml says', () => {
    for (const flashAttention of ['auto', 'on', 'off'] as const) {
      for (const backend of ['cpu', 'cuda'] as const)
        expect(flashAttentionOf({ flashAttention, kvType: 'f16' }, backend)).toBe(flashAttention);
    }
  });

  it('is on where the KV cache is stored in blocks, which nothing else can read', () => {
    for (const kvType of ['q8_0', 'iq4_nl'] as const) expect(flashAttentionOf({ kvType }, 'cpu')).toBe('on');
  });

  it('is off on a CPU and left to the device on a GPU otherwise', () => {
    expect(flashAttentionOf(undefined, 'cpu')).toBe('off');
    expect(flashAttentionOf({ kvType: 'f32' }, 'cpu')).toBe('off');
    for (const backend of ['cuda', 'vulkan', 'metal'] as const)
      expect(flashAttentionOf(undefined, backend)).toBe('auto');
  });
});
