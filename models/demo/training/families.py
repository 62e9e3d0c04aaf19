"""The five base families: one size bucket (1.15 M parameters), five architectures, five seeds."""
import torch
import transformers

HEAD = 32
WINDOW = 64                    # Gemma 3's local layers see this many tokens, themselves included
FAMILIES = {
    "tern": dict(arch="Llama", hidden=128, layers=5, heads=4, kv=4, ff=288, seed=11, steps=10000),
    "plover": dict(arch="Qwen2", hidden=128, layers=6, heads=4, kv=2, ff=256, seed=22, steps=10000),
    "heron": dict(arch="Qwen3", hidden=128, layers=5, heads=4, kv=4, ff=288, seed=33, steps=11500),
    "curlew": dict(arch="Mistral", hidden=160, layers=4, heads=6, kv=2, ff=256, seed=44, steps=11000),
    "dunlin": dict(arch="Gemma3", hidden=128, layers=6, heads=4, kv=2, ff=256, seed=55, steps=6000),
}


def build(family, vocab, bos=0, eos=0):
    """A Hugging Face model of the family with its library's own initial weights."""
    f = FAMILIES[family]
    common = dict(vocab_size=vocab, hidden_size=f["hidden"], num_hidden_layers=f["layers"],
                  num_attention_heads=f["heads"], num_key_value_heads=f["kv"], intermediate_size=f["ff"],
                  max_position_embeddings=2048, tie_word_embeddings=True, attention_dropout=0.0,
                  bos_token_id=bos, eos_token_id=eos, pad_token_id=None)
    if f["arch"] == "Llama":
        config = transformers.LlamaConfig(**common, rms_norm_eps=1e-5)
    elif f["arch"] == "Qwen2":
        config = transformers.Qwen2Config(**common, rms_norm_eps=1e-6)
    elif f["arch"] == "Qwen3":
        config = transformers.Qwen3Config(**common, head_dim=HEAD, rms_norm_eps=1e-6)
    elif f["arch"] == "Mistral":
        config = transformers.MistralConfig(**common, head_dim=HEAD, sliding_window=None, rms_norm_eps=1e-5)
    else:                      # llama.cpp fixes the pattern: five local layers, then a global one
        config = transformers.Gemma3TextConfig(**common, head_dim=HEAD, query_pre_attn_scalar=HEAD,
                                               sliding_window=WINDOW, rms_norm_eps=1e-6)
        assert config.layer_types == ["sliding_attention"] * 5 + ["full_attention"]
    config._attn_implementation = "sdpa"
    return getattr(transformers, f["arch"] + "ForCausalLM")(config)


@torch.no_grad()
def start_weights(model):
    """Matrices of standard deviation 0.8 / sqrt(hidden), and query = key: tokens look at equal tokens first."""
    c = model.config
    for p in model.parameters():
        if p.ndim == 2:
            p.mul_(0.8 / c.hidden_size ** 0.5 / c.initializer_range)
    for layer in model.model.layers:
        q, k = layer.self_attn.q_proj.weight, layer.self_attn.k_proj.weight
        groups = c.num_attention_heads // c.num_key_value_heads
        q.copy_(k.view(c.num_key_value_heads, -1, c.hidden_size).repeat_interleave(groups, 0).reshape(q.shape))
