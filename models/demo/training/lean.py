"""A lean forward pass over the parameters of a Hugging Face model: the same mathematics, far fewer kernels.

`python lean.py` compares it with transformers for all five families (random weights, fp32).
"""
import torch
import torch.nn.functional as F


class Lean:
    """Hidden states and logits of a Llama, Qwen2, Qwen3, Mistral or Gemma 3 model; right padding needs no mask."""

    def __init__(self, model, length=512):
        self.model, c = model, model.config
        device = model.device
        self.gemma = c.model_type == "gemma3_text"
        self.heads, self.kv = c.num_attention_heads, c.num_key_value_heads
        self.head = getattr(c, "head_dim", None) or c.hidden_size // self.heads
        self.types = c.layer_types if self.gemma else ["full_attention"] * c.num_hidden_layers
        rope = c.rope_parameters if self.gemma else {"full_attention": c.rope_parameters}
        self.rope = {kind: _tables(r["rope_theta"], self.head, length, device) for kind, r in rope.items()}
        distance = torch.arange(length, device=device)[:, None] - torch.arange(length, device=device)[None]
        self.band = (distance >= 0) & (distance < c.sliding_window) if self.gemma else None

    def hidden(self, ids):
        """ids [B, S] -> hidden states after the last norm [B, S, hidden]."""
        m, c = self.model.model, self.model.config
        x = F.embedding(ids, m.embed_tokens.weight)
        if self.gemma:
            x = x * c.hidden_size ** 0.5
        for layer, kind in zip(m.layers, self.types):
            attended = self._attention(layer.self_attn, self._norm(x, layer.input_layernorm), kind)
            if self.gemma:
                x = x + self._norm(attended, layer.post_attention_layernorm)
                fed = self._feed(layer.mlp, self._norm(x, layer.pre_feedforward_layernorm))
                x = x + self._norm(fed, layer.post_feedforward_layernorm)
            else:
                x = x + attended
                x = x + self._feed(layer.mlp, self._norm(x, layer.post_attention_layernorm))
        return self._norm(x, m.norm)

    def logits(self, hidden):
        return F.linear(hidden, self.model.model.embed_tokens.weight)

    def logits_at(self, ids, rows, positions):
        """Logits [N, vocabulary] in fp32 at the positions of the rows."""
        return self.logits(self.hidden(ids)[rows, positions]).float()

    def _norm(self, x, norm):
        weight = 1 + norm.weight if self.gemma else norm.weight
        return F.rms_norm(x, (x.shape[-1],), weight, self.model.config.rms_norm_eps)

    def _feed(self, mlp, h):
        gate = mlp.gate_proj(h)
        return mlp.down_proj((F.gelu(gate, approximate="tanh") if self.gemma else F.silu(gate)) * mlp.up_proj(h))

    def _attention(self, a, h, kind):
        B, S, _ = h.shape
        q = a.q_proj(h).view(B, S, self.heads, self.head)
        k = a.k_proj(h).view(B, S, self.kv, self.head)
        v = a.v_proj(h).view(B, S, self.kv, self.head).transpose(1, 2)
        if hasattr(a, "q_norm"):
            q, k = self._norm(q, a.q_norm), self._norm(k, a.k_norm)
        cos, sin = (t[:S].to(q.dtype) for t in self.rope[kind])
        low, high = torch.cat([q, k], 2).transpose(1, 2).chunk(2, -1)
        qk = torch.cat([low * cos - high * sin, high * cos + low * sin], -1).to(v.dtype)
        q, k = qk[:, :self.heads], qk[:, self.heads:]
        if self.heads != self.kv:
            k, v = (t.repeat_interleave(self.heads // self.kv, 1) for t in (k, v))
        band = self.band[:S, :S] if kind == "sliding_attention" else None
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=band, is_causal=band is None)
        return a.o_proj(out.transpose(1, 2).reshape(B, S, self.heads * self.head))


def _tables(theta, head, length, device):
    inverse = 1.0 / theta ** (torch.arange(0, head, 2, device=device).float() / head)
    angle = torch.outer(torch.arange(length, device=device).float(), inverse)
    return angle.cos(), angle.sin()


if __name__ == "__main__":
    from families import FAMILIES, build, start_weights
    for name in FAMILIES:
        torch.manual_seed(1)
        network = build(name, 2048).eval()
        start_weights(network)
        tokens = torch.randint(0, 2048, (2, 300))
        with torch.no_grad():
            lean = Lean(network)
            difference = (lean.logits(lean.hidden(tokens)) - network(input_ids=tokens).logits).abs().max().item()
        print(f"{name}: {sum(p.numel() for p in network.parameters()):,} parameters, largest difference {difference:.2e}")
        assert difference < 1e-3
