import { expect, test } from 'vitest';
import { isHarmless } from '../../src/engine/harmless-warning.js';

test.each([
  'llama_kv_cache_iswa: using full-size SWA cache (ref: https://github.com/ggml-org/llama.cpp/pull/13194#issuecomment-2868343055)',
  'resolve_fused_ops: Flash Attention not supported, set to disabled',
  'resolve_fused_ops: layer 0 is assigned to device CUDA0 but Flash Attention is assigned to device CPU (usually due to missing support)',
  "load: special_eog_ids contains '<|tool_response>', removing '</s>' token from EOG list",
  "load: control-looking token: 128247 '</s>' was not control-type; this is probably a bug in the model. its type will be overridden",
  'model has unused tensor blk.61.nextn.eh_proj.weight (size = 1 bytes) -- ignoring',
])('no score depends on: %s', (line) => expect(isHarmless(line)).toBe(true));

test.each([
  "load: missing pre-tokenizer type, using: 'default'",
  'llama_context: n_ctx_seq (8192) > n_ctx_train (4096) -- possible training context overflow',
  'load: Phi SWA is currently disabled - results might be suboptimal for some models',
  "load: bad special token: 'tokenizer.ggml.bos_token_id' = 999999, using default id 1",
  'llama_kv_cache: something new',
])('is shown: %s', (line) => expect(isHarmless(line)).toBe(false));
