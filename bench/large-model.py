"""Writes a model of Qwen2-0.5B's shape (or an 8B one) with random weights, for benches at a realistic size.

    python bench/large-model.py VOCABULARY.gguf OUT.gguf [layers=24] [0.5b|8b]

Never commit its output.

Needs `pip install gguf numpy`. VOCABULARY.gguf is llama.cpp's `models/ggml-vocab-qwen2.gguf` (151,936 tokens; from
node_modules/node-llama-cpp/llama/gitRelease.bundle, see bench/peers.md). Seeded, Q8_0 matrices, about 525 MB with all 24
layers (8b: 32 layers, 7.8 GB; its blocks are drawn as they are stored). Its answers mean nothing; its work is that of a trained file.
"""

import sys

import gguf
import numpy as np

WIDTH, FEED, HEADS, KV_HEADS = (4096, 14336, 32, 8) if "8b" in sys.argv[3:] else (896, 4864, 14, 2)
HEAD = WIDTH // HEADS
random = np.random.default_rng(1)


def main(vocabulary, out, layers=24):
    source = gguf.GGUFReader(vocabulary)
    writer = gguf.GGUFWriter(out, "qwen2")
    words = copy_tokenizer(source, writer)
    writer.add_name("random weights in Qwen2-0.5B's shape")
    writer.add_context_length(32768)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    shapes = dict(tensors(words, layers))
    for name, shape in shapes.items():
        if len(shape) == 1:
            writer.add_tensor_info(name, shape, np.dtype(np.float32), 4 * shape[0])
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
        for name, rows in (("attn_q", WIDTH), ("attn_k", KV_HEADS * HEAD), ("attn_v", KV_HEADS * HEAD)):
            yield f"blk.{n}.{name}.weight", (rows, WIDTH)
            yield f"blk.{n}.{name}.bias", (rows,)
        yield f"blk.{n}.attn_output.weight", (WIDTH, WIDTH)
        yield f"blk.{n}.ffn_gate.weight", (FEED, WIDTH)
        yield f"blk.{n}.ffn_up.weight", (FEED, WIDTH)
        yield f"blk.{n}.ffn_down.weight", (WIDTH, FEED)


def values(name, shape):
    if len(shape) == 1:
        return (np.zeros if name.endswith("bias") else np.ones)(shape, np.float32)
    if WIDTH > 1000:
        return random_blocks(shape)
    weights = random.standard_normal(shape, np.float32) * np.float32(shape[1] ** -0.5)
    return gguf.quants.quantize(weights, gguf.GGMLQuantizationType.Q8_0)


def random_blocks(shape):
    """Q8_0 as it lies in the file: per 32 weights a scale of 2 bytes, then 32 whole numbers."""
    blocks = random.integers(0, 256, (shape[0], shape[1] // 32, 34), np.uint8)
    scale = np.array(shape[1] ** -0.5 / 74, np.float16)  # 74: the spread of the numbers from -128 to 127
    blocks[:, :, :2] = np.frombuffer(scale.tobytes(), np.uint8)
    return blocks.reshape(shape[0], -1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4]))
