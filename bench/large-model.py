"""Writes a model with random weights in the shape of a real one, for benches at a realistic size.

    python bench/large-model.py VOCABULARY.gguf OUT.gguf [layers] [135m|270m|0.5b|8b] [f16]

Never commit its output. Needs `pip install gguf numpy`. VOCABULARY.gguf is one of llama.cpp's `models/ggml-vocab-*.gguf`
(from node_modules/node-llama-cpp/llama/gitRelease.bundle, see bench/peers.md), by the shape:

| shape | architecture | vocabulary | tokens | |
|---|---|---|---:|---|
| 135m | llama | starcoder | 49,152 | tied embedding |
| 270m | gemma3 | gemma-4 | 262,144 | tied embedding, a window of 512 tokens in five layers of six |
| 0.5b (default) | qwen2 | qwen2 | 151,936 | tied embedding |
| 8b | qwen2 | qwen2 | 151,936 | its blocks are drawn as they are stored |

Seeded. Matrices in Q8_0 (0.5b 525 MB, 8b 7.8 GB), or with `f16` in F16, of which llama-quantize makes the other types (8b is
Q8_0 alone). Its answers mean nothing; its work is that of a trained file.
"""

import sys

import gguf
import numpy as np

# architecture, layers, width, feed forward, heads, KV heads, width of a head
SHAPES = {
    "135m": ("llama", 30, 576, 1536, 9, 3, 64),
    "270m": ("gemma3", 18, 640, 2048, 4, 1, 256),
    "0.5b": ("qwen2", 24, 896, 4864, 14, 2, 64),
    "8b": ("qwen2", 32, 4096, 14336, 32, 8, 128),
}
NAME = next((each for each in sys.argv[3:] if each in SHAPES), "0.5b")
ARCH, LAYERS, WIDTH, FEED, HEADS, KV_HEADS, HEAD = SHAPES[NAME]
HALF = "f16" in sys.argv[3:] and NAME != "8b"
random = np.random.default_rng(1)


def main(vocabulary, out, layers=LAYERS):
    source = gguf.GGUFReader(vocabulary)
    writer = gguf.GGUFWriter(out, ARCH)
    words = copy_tokenizer(source, writer)
    writer.add_name(f"random weights in a {NAME} {ARCH}'s shape")
    writer.add_context_length(32768)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    if ARCH == "llama":
        writer.add_rope_dimension_count(HEAD)
    if ARCH == "gemma3":
        writer.add_key_length(HEAD)
        writer.add_value_length(HEAD)
        writer.add_sliding_window(512)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16 if HALF else gguf.LlamaFileType.MOSTLY_Q8_0)
    shapes = dict(tensors(words, layers))
    for name, shape in shapes.items():
        if len(shape) == 1:
            writer.add_tensor_info(name, shape, np.dtype(np.float32), 4 * shape[0])
        elif HALF:
            writer.add_tensor_info(name, shape, np.dtype(np.float16), 2 * shape[0] * shape[1])
        else:
            size = shape[0] * shape[1] // 32 * 34
            row = (shape[0], shape[1] // 32 * 34)
            writer.add_tensor_info(name, row, np.dtype(np.uint8), size, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for name, shape in shapes.items():
        writer.write_tensor_data(values(name, shape))
    writer.close()


def copy_tokenizer(source, writer):
    for key, field in source.fields.items():
        if key.startswith("tokenizer.") and key != "tokenizer.chat_template":
            kind = field.types[0]
            sub = field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(key, field.contents(), kind, sub)
    return len(source.fields["tokenizer.ggml.tokens"].data)


def tensors(words, layers):
    yield "token_embd.weight", (words, WIDTH)
    yield "output_norm.weight", (WIDTH,)
    for n in range(layers):
        for name in ("attn_norm", "ffn_norm"):
            yield f"blk.{n}.{name}.weight", (WIDTH,)
        for name, rows in (("attn_q", HEADS * HEAD), ("attn_k", KV_HEADS * HEAD), ("attn_v", KV_HEADS * HEAD)):
            yield f"blk.{n}.{name}.weight", (rows, WIDTH)
            if ARCH == "qwen2":
                yield f"blk.{n}.{name}.bias", (rows,)
        if ARCH == "gemma3":
            for name, size in (
                ("attn_q_norm", HEAD),
                ("attn_k_norm", HEAD),
                ("post_attention_norm", WIDTH),
                ("post_ffw_norm", WIDTH),
            ):
                yield f"blk.{n}.{name}.weight", (size,)
        yield f"blk.{n}.attn_output.weight", (WIDTH, HEADS * HEAD)
        yield f"blk.{n}.ffn_gate.weight", (FEED, WIDTH)
        yield f"blk.{n}.ffn_up.weight", (FEED, WIDTH)
        yield f"blk.{n}.ffn_down.weight", (WIDTH, FEED)


def values(name, shape):
    if len(shape) == 1:
        return (np.zeros if name.endswith("bias") else np.ones)(shape, np.float32)
    if WIDTH > 1000:
        return random_blocks(shape)
    weights = random.standard_normal(shape, np.float32) * np.float32(shape[1] ** -0.5)
    return weights.astype(np.float16) if HALF else gguf.quants.quantize(weights, gguf.GGMLQuantizationType.Q8_0)


def random_blocks(shape):
    """Q8_0 as it lies in the file: per 32 weights a scale of 2 bytes, then 32 whole numbers."""
    blocks = random.integers(0, 256, (shape[0], shape[1] // 32, 34), np.uint8)
    scale = np.array(shape[1] ** -0.5 / 74, np.float16)  # 74: the spread of the numbers from -128 to 127
    blocks[:, :, :2] = np.frombuffer(scale.tobytes(), np.uint8)
    return blocks.reshape(shape[0], -1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(int(each) for each in sys.argv[3:4] if each.isdigit()))
