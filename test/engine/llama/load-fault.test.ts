import { describe, expect, it } from 'vitest';
import { loadFault, tensorLine } from '../../../src/engine/llama/load-fault.js';

const failed = { error: new Error('Failed to load model'), device: 'cpu', release: 'b9000', architecture: 'zlama' };
const END = 'llama_model_load_from_file_impl: failed to load model';

describe('loadFault', () => {
  it.each([
    [
      "llama_model_load: error loading model: unknown model architecture: 'zlama'",
      "unknown model architecture: 'zlama'; use a newer SupportCal",
    ],
    [
      "llama_model_load: error loading model: missing tensor 'blk.2.attn_k.weight'",
      "missing tensor 'blk.2.attn_k.weight'; fetch",
    ],
    [
      "llama_model_load: error loading model: check_tensor_dims: tensor 'blk.0.ffn_gate.weight' has wrong shape; expected 128, 300",
      "tensor 'blk.0.ffn_gate.weight' has wrong shape; expected 128, 300; fetch the file again",
    ],
    [
      "llama_model_load: error loading model: error loading model vocabulary: unknown pre-tokenizer type: 'zz'",
      "unknown pre-tokenizer type: 'zz'; use a newer SupportCal",
    ],
    [
      'llama_model_load: error loading model: unable to allocate CPU buffer',
      'unable to allocate CPU buffer; use a smaller file',
    ],
  ])('gives the reason of %s with architecture, release and way out', (line, reason) => {
    const { message, code } = loadFault({ ...failed, lines: [line, END] });
    expect(code).toBe('model-load');
    expect(message).toMatch(/^llama\.cpp b9000 cannot load the file \(architecture zlama\) on cpu: /);
    expect(message).toContain(reason);
  });

  it('gives what was thrown where the library logged nothing of use', () => {
    const { message } = loadFault({ ...failed, architecture: null, lines: [END] });
    expect(message).toBe('llama.cpp b9000 cannot load the file on cpu: Failed to load model');
  });
});

describe('tensorLine', () => {
  it('finds what a dry run says of a tensor; a file with a vocabulary alone is no fault', () => {
    expect(tensorLine(["llama_model_load: error loading model: missing tensor 'blk.2.attn_k.weight'", END])).toBe(
      "missing tensor 'blk.2.attn_k.weight'",
    );
    expect(tensorLine(["llama_model_load: error loading model: missing tensor 'token_embd.weight'", END])).toBeNull();
    expect(tensorLine([])).toBeNull();
  });
});
