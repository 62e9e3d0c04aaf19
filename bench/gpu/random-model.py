"""Writes a GGUF file of random weights in the shape and the type that are asked for, in seconds.

    python bench/gpu/random-model.py VOCABULARY.gguf OUT.gguf 8b|70b|moe|small|narrow Q8_0|Q4_K_M|BF16|F16

Never commit its output. Needs `pip install gguf numpy` (or llama.cpp's gguf-py on PYTHONPATH). VOCABULARY.gguf: see
bench/large-model.py. The 8b shape is that file's (qwen2, 32 layers of 4096); 70b has Qwen2-72B's width and Llama-70B's
feed (80 layers of 8192), moe is Qwen3-30B-A3B (48 layers of 2048, 128 experts of 768, 8 of them used). Of every tensor
only the first 16 million weights are drawn, the others repeat them: speed does not depend on the values, answers mean nothing.
Q4_K_M has Q6_K where llama-quantize puts it: the output matrix, and every other layer's values and ffn_down.
"""

import sys

import gguf
import numpy as np

T = gguf.GGMLQuantizationType
SHAPES = {
    # layers, width, feed, heads, kv heads, head, experts, experts used
    "8b": (32, 4096, 14336, 32, 8, 128, 0, 0),
    "70b": (80, 8192, 28672, 64, 8, 128, 0, 0),
    "moe": (48, 2048, 768, 32, 4, 128, 128, 8),
    "narrow": (1, 128, 256, 1, 1, 128, 0, 0),
    "small": (2, 1024, 2048, 8, 2, 128, 0, 0),
}
BLOCK = {T.F32: (1, 4), T.F16: (1, 2), T.BF16: (1, 2), T.Q8_0: (32, 34), T.Q4_K: (256, 144), T.Q6_K: (256, 210)}
FILE = {"Q8_0": "MOSTLY_Q8_0", "Q4_K_M": "MOSTLY_Q4_K_M", "BF16": "MOSTLY_BF16", "F16": "MOSTLY_F16"}
random = np.random.default_rng(1)


def main(vocabulary, out, shape, kind):
    layers, width, feed, heads, kv_heads, head, experts, used = SHAPES[shape]
    source = gguf.GGUFReader(vocabulary)
    writer = gguf.GGUFWriter(out, "qwen3moe" if experts else "qwen2")
    words = copy_tokenizer(source, writer)
    writer.add_name(f"random weights in the shape {shape}")
    writer.add_context_length(32768)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(feed)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    if experts:
        writer.add_key_length(head)
        writer.add_value_length(head)
        writer.add_expert_count(experts)
        writer.add_expert_used_count(used)
        writer.add_expert_feed_forward_length(feed)
    writer.add_file_type(getattr(gguf.LlamaFileType, FILE[kind]))
    shapes = list(tensors(words, SHAPES[shape], kind))
    for name, dims, type in shapes:
        per, size = BLOCK[type]
        row = (*dims[:-1], dims[-1] // per * size)
        writer.add_tensor_info(name, row, np.dtype(np.uint8), int(np.prod(row)), raw_dtype=type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for name, dims, type in shapes:
        writer.write_tensor_data(values(name, dims, type))
    writer.close()


def copy_tokenizer(source, writer):
    for key, field in source.fields.items():
        if key.startswith("tokenizer.") and key != "tokenizer.chat_template":
            kind = field.types[0]
            sub = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), kind, sub)
    return len(source.fields["tokenizer.ggml.tokens"].data)


def tensors(words, numbers, kind):
    layers, width, feed, heads, kv_heads, head, experts, _ = numbers
    plain = T.Q4_K if kind == "Q4_K_M" else T[kind]
    better = T.Q6_K if kind == "Q4_K_M" else plain
    yield "token_embd.weight", (words, width), plain
    yield "output.weight", (words, width), better
    yield "output_norm.weight", (width,), T.F32
    for n in range(layers):
        more = better if n % 2 == 0 else plain
        block = f"blk.{n}."
        yield f"{block}attn_norm.weight", (width,), T.F32
        yield f"{block}ffn_norm.weight", (width,), T.F32
        for name, rows, type in (
            ("attn_q", heads * head, plain),
            ("attn_k", kv_heads * head, plain),
            ("attn_v", kv_heads * head, more),
        ):
            yield f"{block}{name}.weight", (rows, width), type
            if not experts:
                yield f"{block}{name}.bias", (rows,), T.F32
        yield f"{block}attn_output.weight", (width, heads * head), plain
        if experts:
            yield f"{block}attn_q_norm.weight", (head,), T.F32
            yield f"{block}attn_k_norm.weight", (head,), T.F32
            yield f"{block}ffn_gate_inp.weight", (experts, width), T.F32
            yield f"{block}ffn_gate_exps.weight", (experts, feed, width), plain
            yield f"{block}ffn_up_exps.weight", (experts, feed, width), plain
            yield f"{block}ffn_down_exps.weight", (experts, width, feed), more
        else:
            yield f"{block}ffn_gate.weight", (feed, width), plain
            yield f"{block}ffn_up.weight", (feed, width), plain
            yield f"{block}ffn_down.weight", (width, feed), more


drawn = {}


def values(name, dims, type):
    if type == T.F32 and len(dims) == 1:
        return (np.zeros if name.endswith("bias") else np.ones)(dims, np.float32).view(np.uint8)
    per, size = BLOCK[type]
    count = int(np.prod(dims)) // per
    key = (type, dims[-1])
    if key not in drawn:
        drawn[key] = draw(type, min(1 << 24, 1 << 24) // per, dims[-1] ** -0.5)
    blocks = drawn[key]
    whole = np.resize(blocks, (count, size)) if count > len(blocks) else blocks[:count]
    return whole.reshape(*dims[:-1], dims[-1] // per * size)


def draw(type, count, spread):
    """`count` blocks as they lie in the file, of weights that spread about zero."""
    if type in (T.F32, T.F16, T.BF16):
        weights = random.standard_normal(count, np.float32) * np.float32(spread)
        if type == T.BF16:
            return (weights.view(np.uint32) >> 16).astype(np.uint16).view(np.uint8).reshape(count, 2)
        return weights.astype(np.float32 if type == T.F32 else np.float16).view(np.uint8).reshape(count, -1)
    size = BLOCK[type][1]
    blocks = random.integers(0, 256, (count, size), np.uint8)
    if type == T.Q8_0:
        blocks[:, :2] = half(spread / 74)
    elif type == T.Q4_K:
        blocks[:, :2] = half(spread / 250)
        blocks[:, 2:4] = half(spread / 250 * 7.5)
    elif type == T.Q6_K:
        blocks[:, 208:] = half(spread / 1332)
    return blocks


def half(value):
    return np.frombuffer(np.array(value, np.float16).tobytes(), np.uint8)


if __name__ == "__main__":
    main(*sys.argv[1:5])
