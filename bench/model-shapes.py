"""Writes sparse GGUF files with the header, vocabulary and tensor list of the paper's pretrained models and no weights.

    python bench/model-shapes.py VOCABULARY_FOLDER OUT_FOLDER

Never commit its output. Needs `pip install gguf numpy`. VOCABULARY_FOLDER holds llama.cpp's `models/ggml-vocab-*.gguf` (from
node_modules/node-llama-cpp/llama/gitRelease.bundle, see bench/peers.md). The files say they are 4 to 36 GB and take a few MB
of disk each. For bench/memory-estimate.ts, and to try `doctor` with `models.local.yaml` without the models.
"""

import os
import sys

import gguf
import numpy as np

# architecture, layers, width, feed forward, heads, KV heads, width of a head, vocabulary, its file, tied embeddings
SHAPES = {
    "llama-3-8b": ("llama", 32, 4096, 14336, 32, 8, 128, 128256, "llama-bpe", False),
    "qwen2.5-7b": ("qwen2", 28, 3584, 18944, 28, 4, 128, 152064, "qwen2", False),
    "qwen3-8b-base": ("qwen3", 36, 4096, 12288, 32, 8, 128, 151936, "qwen2", False),
    "gemma3-4b-pt": ("gemma3", 34, 2560, 10240, 8, 4, 256, 262144, "gemma-4", True),
    "yi-1.5-6b": ("llama", 32, 4096, 11008, 32, 4, 128, 64000, "llama-spm", False),
    "yi-1.5-9b": ("llama", 48, 4096, 11008, 32, 4, 128, 64000, "llama-spm", False),
    "mistral-7b-v0.3": ("llama", 32, 4096, 14336, 32, 8, 128, 32768, "llama-spm", False),
    "qwen2.5-14b": ("qwen2", 48, 5120, 13824, 40, 8, 128, 152064, "qwen2", False),
    "qwen2.5-32b": ("qwen2", 64, 5120, 27648, 40, 8, 128, 152064, "qwen2", False),
    "gemma3-12b-pt": ("gemma3", 48, 3840, 15360, 16, 8, 256, 262144, "gemma-4", True),
    "gemma3-27b-pt": ("gemma3", 62, 5376, 21504, 32, 16, 128, 262144, "gemma-4", True),
    "yi-1.5-34b": ("llama", 60, 7168, 20480, 56, 8, 128, 64000, "llama-spm", False),
}


def write(vocabularies, path, arch, layers, width, feed, heads, kv_heads, head, words, file, tied):
    writer = gguf.GGUFWriter(path, arch)
    copy_tokenizer(gguf.GGUFReader(f"{vocabularies}/ggml-vocab-{file}.gguf"), writer, words)
    writer.add_context_length(8192)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(feed)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_rope_dimension_count(head)
    writer.add_vocab_size(words)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e6)
    if arch == "gemma3":
        writer.add_sliding_window(1024)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    total = 0
    for name, shape in tensors(arch, layers, width, feed, heads * head, kv_heads * head, head, words, tied):
        if len(shape) == 1:
            size = 4 * shape[0]
            writer.add_tensor_info(name, shape, np.dtype(np.float32), size)
        else:
            row = (shape[0], shape[1] // 32 * 34)
            size = row[0] * row[1]
            writer.add_tensor_info(name, row, np.dtype(np.uint8), size, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
        total += aligned(size)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    os.truncate(path, aligned(os.path.getsize(path)) + total)


def aligned(size):
    return (size + 31) // 32 * 32


def copy_tokenizer(source, writer, words):
    """Cut or filled up to the vocabulary of the model."""
    fill = {"tokens": lambda n: f"<pad{n}>", "scores": lambda n: 0.0, "token_type": lambda n: 1}
    for key, field in source.fields.items():
        if not key.startswith("tokenizer.") or key == "tokenizer.chat_template":
            continue
        kind = field.types[0]
        values = field.contents()
        if key.split(".")[-1] in fill:
            values = (list(values) + [fill[key.split(".")[-1]](n) for n in range(words)])[:words]
        writer.add_key_value(key, values, kind, field.types[-1] if kind == gguf.GGUFValueType.ARRAY else None)


def tensors(arch, layers, width, feed, queries, keys, head, words, tied):
    yield "token_embd.weight", (words, width)
    if not tied:
        yield "output.weight", (words, width)
    yield "output_norm.weight", (width,)
    for n in range(layers):
        at = f"blk.{n}."
        for name, rows in (("attn_q", queries), ("attn_k", keys), ("attn_v", keys)):
            yield f"{at}{name}.weight", (rows, width)
            if arch == "qwen2":
                yield f"{at}{name}.bias", (rows,)
        for name in ("attn_norm", "ffn_norm") + (("post_attention_norm", "post_ffw_norm") if arch == "gemma3" else ()):
            yield f"{at}{name}.weight", (width,)
        if arch in ("qwen3", "gemma3"):
            yield f"{at}attn_q_norm.weight", (head,)
            yield f"{at}attn_k_norm.weight", (head,)
        yield f"{at}attn_output.weight", (width, queries)
        yield f"{at}ffn_gate.weight", (feed, width)
        yield f"{at}ffn_up.weight", (feed, width)
        yield f"{at}ffn_down.weight", (width, feed)


if __name__ == "__main__":
    vocabularies, out = sys.argv[1:3]
    os.makedirs(out, exist_ok=True)
    for name, shape in SHAPES.items():
        write(vocabularies, f"{out}/{name}.gguf", *shape)
